import { DEFAULT_PER_PAGE, riskRoutes } from '@berth/contract';
import { listRiskBreaches } from '../../../risk/breaches.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { toAfter, toPage } from '../../http/id-cursor.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

export const registerRiskBreachRoutes = (context: RouteContext): void => {
  const { db } = context.services;
  registerRoute(context, riskRoutes.listRiskBreaches, {
    handle: async ({ caller, query }) => {
      const {
        after,
        terminal_id: terminalId = null,
        rule_id: ruleId = null,
        per_page: limit = DEFAULT_PER_PAGE,
      } = query;
      const { id: userId } = caller.user;
      const filter = { after: toAfter(after, null), terminalId, ruleId, limit: limit + 1 };
      const found = await listRiskBreaches(db.slowFor(userId), userId, filter);
      const { data, pagination } = toPage(found, limit);
      return { ...toEnvelope('Breaches retrieved successfully.', data), pagination };
    },
  });
};
