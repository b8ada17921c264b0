import { terminalRoutes, toTerminalStatusName } from '@berth/contract';
import { countStatuses } from '../../../../../terminals/queries.ts';
import { toEnvelope } from '../../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';
import { toTerminalFilter } from '../../../../../terminals/asked-filter.ts';

export const registerCountRoutes = (context: RouteContext): void => {
  const { services } = context;
  registerRoute(context, terminalRoutes.countTerminals, {
    handle: async ({ query, caller }) => {
      const rows = await countStatuses(services.db.slowFor(caller.user.id), caller.user.id, toTerminalFilter(query));
      return toEnvelope('Terminals counted successfully.', {
        total: rows.reduce((sum, { total }) => sum + total, 0),
        statuses: rows.map((row) => ({ ...row, status_name: toTerminalStatusName(row.status) })),
      });
    },
  });
};
