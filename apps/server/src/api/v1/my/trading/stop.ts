import { tradingStopRoutes, type TradingStop } from '@berth/contract';
import { endStop, startStop, type StopEnd } from '../../../../runs/trading-stop.ts';
import { findReadiness } from '../../../../tasks/switch-checks.ts';
import { findStop } from '../../../../runs/trading-stop-queries.ts';
import { withAudit } from '../../../http/audited.ts';
import { refuse, toEnvelope } from '../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../http/route.ts';
import { toRunLimit } from './bulk-runs.ts';

/** A user has one at a time. */
const target = { type: 'trading_stop', id: null };

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
    handle: async ({ caller: { user }, actor, creation, reply }) => {
      const audited = withAudit<TradingStop | undefined>(
        creation,
        actor,
        (made) =>
          made && { action: 'trading_stop.start', target, after: { run_id: made.run_id, terminals: made.total } },
      );
      const stop = await startStop(services, user.id, audited);
      if (stop) return toEnvelope('Algo trading is being turned off on all terminals.', stop);
      return toRunLimit(reply);
    },
  });
  registerRoute(context, tradingStopRoutes.endTradingStop, {
    handle: async ({ body: { restore }, caller: { user }, actor, creation, reply }) => {
      const audited = withAudit<StopEnd>(creation, actor, ({ kind }) =>
        kind === 'ended' ? { action: 'trading_stop.end', target, after: { restore } } : undefined,
      );
      const end = await endStop(services, { userId: user.id, restore }, audited);
      if (end.kind === 'ended') return toEnvelope('The stop of all algo trading is over.', { run: end.run });
      if (end.kind === 'too_many_runs') return toRunLimit(reply);
      return refuse(reply, 'no_stop', 'There is no stop of all algo trading.');
    },
  });
};
