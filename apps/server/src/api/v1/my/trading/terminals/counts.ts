import { terminalRoutes, toTerminalStatusName } from '@berth/contract';
import { countStatuses, listChoices } from '../../../../../terminals/queries.ts';
import { toEnvelope } from '../../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';
import { toTerminalFilter } from '../../../../../terminals/asked-filter.ts';

export const registerCountRoutes = (context: RouteContext): void => {
  const { services } = context;
  registerRoute(context, terminalRoutes.countTerminals, {
    handle: async ({ query, caller }) => {
      const { id: userId } = caller.user;
      const [db, filter] = [services.db.slowFor(userId), toTerminalFilter(query)];
      const rows = await countStatuses(db, userId, filter);
      return toEnvelope('Terminals counted successfully.', {
        total: rows.reduce((sum, { total }) => sum + total, 0),
        statuses: rows.map((row) => ({ ...row, status_name: toTerminalStatusName(row.status) })),
        ...(query.include === 'choices' ? { choices: await listChoices(db, userId, filter) } : {}),
      });
    },
  });
};
