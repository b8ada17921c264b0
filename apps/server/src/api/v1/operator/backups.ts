import { overviewRoutes } from '@berth/contract';
import { requestBackup } from '../../../operation/backup-request.ts';
import { toActingOperator } from '../../http/caller.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

export const registerBackupRoutes = (context: RouteContext): void => {
  registerRoute(context, overviewRoutes.requestBackup, {
    handle: async (input) => {
      const { db } = context.services;
      const state = await db.transactionFor(input.caller.user.id, (tx) => requestBackup(tx, toActingOperator(input)));
      return toEnvelope('A backup is made now.', state);
    },
  });
};
