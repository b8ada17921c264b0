import { terminalRoutes } from '@berth/contract';
import { readOverview } from '../../../../../terminals/overview.ts';
import { isUuid } from '../../../../../validation/uuid.ts';
import { toEnvelope } from '../../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';

export const registerOverviewRoutes = (context: RouteContext): void => {
  const { services } = context;
  registerRoute(context, terminalRoutes.getOverview, {
    handle: async ({ query, caller }) => {
      const ids = query.ids.split(',').filter(isUuid);
      const data = await readOverview(services.db.slowFor(caller.user.id), caller.user.id, ids);
      return toEnvelope('Overview retrieved successfully.', data);
    },
  });
};
