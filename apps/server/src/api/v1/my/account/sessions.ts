import { accountRoutes } from '@berth/contract';
import { AppError } from '../../../../errors.ts';
import { deleteOtherSessions, deleteToken, listSessions } from '../../../../tokens/queries.ts';
import { toEnvelope } from '../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../http/route.ts';

export const registerSessionRoutes = (context: RouteContext): void => {
  const { db } = context.services;
  registerRoute(context, accountRoutes.listSessions, {
    handle: async ({ caller: { user, tokenId } }) =>
      toEnvelope('Sessions retrieved successfully.', await listSessions(db.listsFor(user.id), user.id, tokenId)),
  });
  registerRoute(context, accountRoutes.deleteSessions, {
    handle: async ({ caller: { user, tokenId } }) => {
      await db.transactionFor(user.id, (tx) => deleteOtherSessions(tx, user.id, tokenId));
      return toEnvelope('The other sessions have ended.', null);
    },
  });
  registerRoute(context, accountRoutes.deleteSession, {
    handle: async ({ caller, params }) => {
      const { id } = caller.user;
      const sessionId = Number(params.session_id);
      const isThere = await db.transactionFor(id, (tx) => deleteToken(tx, id, sessionId, { isSession: true }));
      if (!isThere) throw AppError.notFound('Session');
      return toEnvelope('The session has ended.', null);
    },
  });
};
