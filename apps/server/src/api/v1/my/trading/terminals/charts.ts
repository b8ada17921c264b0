import { terminalRoutes } from '@berth/contract';
import { AppError } from '../../../../../errors.ts';
import { findCharts } from '../../../../../terminals/charts.ts';
import { toEnvelope } from '../../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';

export const registerChartRoutes = (context: RouteContext): void => {
  const { db } = context.services;
  registerRoute(context, terminalRoutes.listCharts, {
    handle: async ({ params, caller: { user } }) => {
      // Up to a hundred kilobytes: on the owner's slow connections they hold up nobody else's reads.
      const found = await findCharts(db.slowFor(user.id), user.id, params.terminal_id);
      if (!found) throw AppError.notFound('Terminal');
      const { charts, truncated, seen_at } = found;
      return { ...toEnvelope('Charts retrieved successfully.', charts ?? []), seen_at, truncated: truncated ?? false };
    },
  });
};
