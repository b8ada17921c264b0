import { sampleColumns, terminalRoutes } from '@berth/contract';
import { AppError } from '../../../../../errors.ts';
import { findUptime, readSamples } from '../../../../../samples/reading.ts';
import { toWindow } from '../../../../../samples/window.ts';
import { findTerminal } from '../../../../../terminals/queries.ts';
import { toEnvelope } from '../../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../../http/route.ts';

export const registerSampleRoutes = (context: RouteContext): void => {
  const { services } = context;

  registerRoute(context, terminalRoutes.getSamples, {
    assertFound: async ({ params, caller }) => {
      if (!(await findTerminal(services.db, caller.user.id, params.terminal_id))) throw AppError.notFound('Terminal');
    },
    handle: async ({ params, query, caller }) => {
      const { id: userId } = caller.user;
      const { terminal_id: terminalId } = params;
      const window = toWindow(query, services.clock.now());
      const db = services.db.slowFor(userId);
      const [uptime, rows] = await Promise.all([
        findUptime(db, userId, terminalId),
        readSamples(db, { terminalId, userId, ...window }),
      ]);
      if (!uptime) throw AppError.notFound('Terminal');
      return toEnvelope('Samples retrieved successfully.', {
        step: window.step,
        columns: [...sampleColumns],
        rows,
        uptime,
      });
    },
  });
};
