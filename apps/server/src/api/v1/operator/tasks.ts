import { overviewRoutes } from '@berth/contract';
import { cancelForUser } from '../../../operation/task-cancel.ts';
import { toActingOperator } from '../../http/caller.ts';
import { toEnvelope, toRefusal } from '../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

export const registerOperatorTaskRoutes = (context: RouteContext): void => {
  const { services } = context;
  registerRoute(context, overviewRoutes.cancelAnyTask, {
    handle: async (input) => {
      const canceled = await services.db.transactionFor(input.caller.user.id, (tx) =>
        cancelForUser(tx, services, toActingOperator(input), input.params.task_id),
      );
      if (canceled) return toEnvelope('The task was canceled.', canceled);
      return toRefusal('The task can no longer be canceled: a host has it, or it has ended.');
    },
  });
};
