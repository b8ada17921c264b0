import { tradingStopRoutes } from '@berth/contract';
import { endStop, startStop } from '../../../../runs/trading-stop.ts';
import { findReadiness } from '../../../../tasks/switch-checks.ts';
import { findStop } from '../../../../runs/trading-stop-queries.ts';
import { toEnvelope, toRefusal } from '../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../http/route.ts';
import { toRunLimit } from './bulk-runs.ts';

export const registerTradingStopRoutes = (context: RouteContext): void => {
  const { services } = context;
  registerRoute(context, tradingStopRoutes.getTradingStop, {
    handle: async ({ caller: { user } }) => {
      const db = services.db.slowFor(user.id);
      const data = { stop: await findStop(db, user.id), readiness: await findReadiness(db, user.id) };
      return toEnvelope(data.stop ? 'Stop retrieved successfully.' : 'There is no stop of all algo trading.', data);
    },
  });
  registerRoute(context, tradingStopRoutes.startTradingStop, {
    handle: async ({ caller: { user }, creation, reply }) => {
      const stop = await startStop(services, user.id, creation);
      if (stop) return toEnvelope('Algo trading is being turned off on all terminals.', stop);
      return toRunLimit(reply);
    },
  });
  registerRoute(context, tradingStopRoutes.endTradingStop, {
    handle: async ({ body, caller: { user }, creation, reply }) => {
      const end = await endStop(services, { userId: user.id, restore: body.restore }, creation);
      if (end.kind === 'ended') return toEnvelope('The stop of all algo trading is over.', { run: end.run });
      if (end.kind === 'too_many_runs') return toRunLimit(reply);
      reply.header('x-error-code', 'no_stop');
      return toRefusal('There is no stop of all algo trading.');
    },
  });
};
