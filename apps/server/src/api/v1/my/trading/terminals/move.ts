import { moveRoutes } from '@berth/contract';
import { beginMove } from '../../../../../deployment/begin-move.ts';
import { toShownMove, type MoveRow } from '../../../../../terminals/moves.ts';
import { assertTerminal } from '../../../../../terminals/queries.ts';
import { withAudit } from '../../../../http/audited.ts';
import { toEnvelope } from '../../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';

export const registerMoveRoutes = (context: RouteContext): void => {
  const { services } = context;

  registerRoute(context, moveRoutes.moveTerminal, {
    assertFound: ({ params, caller }) => assertTerminal(services.db, caller.user.id, params.terminal_id),
    handle: async ({ params: { terminal_id: terminalId }, caller: { user }, actor, body: to, creation }) => {
      const audited = withAudit<MoveRow>(creation, actor, (move) => ({
        action: 'terminal.move',
        target: { type: 'terminal', id: terminalId },
        before: { host_id: move.source_host_id, region: move.source_region },
        after: { host_id: move.target_host_id, region: move.target_region },
      }));
      const move = await audited.within((tx) => beginMove(tx, services, { user, terminalId, to }));
      return toEnvelope('The terminal is being moved.', toShownMove(move));
    },
  });
};
