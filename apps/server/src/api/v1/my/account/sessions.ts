import { accountRoutes } from '@berth/contract';
import { recordAudit, recordRefusal } from '../../../../audit/record.ts';
import { toEnvelope } from '../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../http/route.ts';
import { findPasswordHash } from '../../../../accounts/credentials.ts';
import { AppError, ValidationError } from '../../../../errors.ts';
import { confirmSession, deleteOtherSessions, deleteToken, listSessions } from '../../../../tokens/queries.ts';

export const registerSessionRoutes = (context: RouteContext): void => {
  const { db, passwords } = context.services;
  registerRoute(context, accountRoutes.listSessions, {
    handle: async ({ caller: { user, tokenId } }) =>
      toEnvelope('Sessions retrieved successfully.', await listSessions(db.listsFor(user.id), user.id, tokenId)),
  });
  registerRoute(context, accountRoutes.confirmSession, {
    handle: async ({ caller: { user, tokenId }, actor, body }) => {
      const confirmation = { action: 'session.confirm', target: { type: 'session', id: String(tokenId) } } as const;
      const hash = await findPasswordHash(db, user.id);
      if (!(await passwords.isMatch(body.password, hash))) {
        await recordRefusal(db, user.id, actor, confirmation);
        throw ValidationError.of('password', 'The password is incorrect.');
      }
      const confirmed_until = await db.transactionFor(user.id, async (tx) => {
        const until = await confirmSession(tx, user.id, tokenId);
        await recordAudit(tx, actor, { ...confirmation, after: { confirmed_until: until } });
        return until;
      });
      // It has ended meanwhile.
      if (confirmed_until === undefined) throw new AppError('unauthenticated');
      return toEnvelope('The password is right. The session is confirmed.', { confirmed_until });
    },
  });
  registerRoute(context, accountRoutes.deleteSessions, {
    handle: async ({ caller: { user, tokenId }, actor }) => {
      await db.transactionFor(user.id, async (tx) => {
        await deleteOtherSessions(tx, user.id, tokenId);
        await recordAudit(tx, actor, { action: 'session.delete', target: { type: 'session', id: null } });
      });
      return toEnvelope('The other sessions have ended.', null);
    },
  });
  registerRoute(context, accountRoutes.deleteSession, {
    handle: async ({ caller, actor, params }) => {
      const { id } = caller.user;
      const sessionId = Number(params.session_id);
      await db.transactionFor(id, async (tx) => {
        const before = await deleteToken(tx, id, sessionId, { isSession: true });
        if (!before) throw AppError.notFound('Session');
        const target = { type: 'session', id: String(sessionId) };
        await recordAudit(tx, actor, { action: 'session.delete', target, before: { device: before.device } });
      });
      return toEnvelope('The session has ended.', null);
    },
  });
};
