import {
  accountRoutes,
  coversAbilities,
  MAX_TOKENS,
  parseIsoDateTime,
  type Token,
  type UserNotification,
} from '@berth/contract';
import { recordAudit, recordRefusedSignIn } from '../../../audit/record.ts';
import { toWelcomeDays, updateProfile } from '../../../accounts/users.ts';
import { isUuid } from '../../../validation/uuid.ts';
import { refuse, toEnvelope } from '../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';
import { unknownProject } from '../../../validation/unknown-choices.ts';
import { findPasswordHash } from '../../../accounts/credentials.ts';
import { assertUncommon, replacePassword } from '../../../accounts/passwords.ts';
import { AppError, ValidationError } from '../../../errors.ts';
import { createApiToken } from '../../../tokens/create-token.ts';
import {
  confirmSession,
  countTokens,
  deleteOtherSessions,
  deleteToken,
  listSessions,
  listTokens,
} from '../../../tokens/queries.ts';
import { newestFirst, readPageInput } from '../../http/cursor.ts';
import { toPagination } from '../../http/pagination.ts';
import { toPublicUrl } from '../../http/public-url.ts';
import { readPage } from '../../../db/page.ts';
import {
  countNotifications,
  getNotificationSettings,
  listNotifications,
  markAllNotificationsRead,
  markNotificationRead,
  updateNotificationSettings,
} from '../../../notifications/queries.ts';

const registerProfileRoutes = (context: RouteContext): void => {
  const { db } = context.services;
  registerRoute(context, accountRoutes.getProfile, {
    handle: async ({ caller }) => toEnvelope('Profile retrieved successfully.', caller.user),
  });
  registerRoute(context, accountRoutes.updateProfile, {
    handle: async ({ caller: { user }, actor, body: { name, default_project_id: projectId } }) => {
      const { id } = user;
      const isPlausible = projectId === undefined || isUuid(projectId);
      const update = () =>
        db.transactionFor(id, async (tx) => {
          if (!(await updateProfile(tx, id, { name, projectId }))) return false;
          const before = { default_project_id: user.default_project_id };
          // No name: the log outlives the account.
          const renamed = name === undefined || name === user.name ? {} : { name: 'changed' };
          const after = { ...renamed, default_project_id: projectId ?? user.default_project_id };
          await recordAudit(tx, actor, { action: 'account.update', target: { type: 'account', id }, before, after });
          return true;
        });
      if (!isPlausible || !(await update())) throw unknownProject('default_project_id');
      return toEnvelope('Profile updated successfully.', null);
    },
  });
};

const registerOfferRoutes = (context: RouteContext): void => {
  const { clock, config } = context.services;
  registerRoute(context, accountRoutes.getOffers, {
    handle: async ({ caller }) => {
      const welcome_days = toWelcomeDays(caller.user, config.welcomeDays, clock.now());
      return toEnvelope('Offers retrieved successfully.', { welcome_days });
    },
  });
};

const registerUsageRoutes = (context: RouteContext): void => {
  const { storage } = context.services;
  registerRoute(context, accountRoutes.getUsage, {
    handle: async ({ caller }) => toEnvelope('Usage retrieved successfully.', await storage.read(caller.user.id)),
  });
};

const registerSecurityRoutes = (context: RouteContext): void => {
  const { db, passwords } = context.services;
  const wrongPassword = () => ValidationError.of('current_password', 'The current password is incorrect.');
  registerRoute(context, accountRoutes.changePassword, {
    handle: async ({ caller: { user }, actor, body }) => {
      assertUncommon('new_password', body.new_password);
      const oldHash = await findPasswordHash(db, user.id);
      if (!(await passwords.isMatch(body.current_password, oldHash)) || !oldHash) throw wrongPassword();
      const newHash = await passwords.hash(body.new_password);
      if (!(await replacePassword(db, { user, oldHash, newHash, by: { actor, action: 'password.change' } })))
        throw wrongPassword();
      return toEnvelope('Password changed successfully.', null);
    },
  });
};

/** Otherwise anyone who gets hold of a token that expires could make one that does not. */
const outlivesCaller = (): ValidationError =>
  ValidationError.of(
    'expires_at',
    'The expires at field must not be later than the end of the token that asks.',
    'Give an earlier time, or ask with a token that does not end.',
  );

const registerTokenRoutes = (context: RouteContext): void => {
  const { config, db } = context.services;
  registerRoute(context, accountRoutes.listTokens, {
    handle: async (input) => {
      const { caller, request } = input;
      const page = readPageInput<Token>(accountRoutes.listTokens, input, { id: 'number' });
      // There are at most a hundred.
      const own = db.listsFor(caller.user.id);
      const [data, total] = await Promise.all([
        listTokens(own, caller.user.id, page),
        countTokens(own, caller.user.id),
      ]);
      const pagination = toPagination(page, total, data, toPublicUrl(request, config));
      return { ...toEnvelope('Tokens retrieved successfully.', data), pagination };
    },
  });
  registerRoute(context, accountRoutes.createToken, {
    handle: async ({ caller, actor, reply, body: { name, abilities = ['*'], expires_at } }) => {
      if (!coversAbilities(caller.abilities, abilities)) throw new AppError('missing_ability');
      const expiresAt = expires_at === undefined ? null : (parseIsoDateTime(expires_at)?.toISOString() ?? null);
      const { tokenId: callingTokenId, user } = caller;
      const created = await createApiToken(db, actor, user.id, { callingTokenId, name, abilities, expiresAt });
      if (created === 'revoked') throw new AppError('unauthenticated');
      if (created === 'too_long') throw outlivesCaller();
      if (created === 'limit') {
        return refuse(
          reply,
          'token_limit',
          `An account has at most ${MAX_TOKENS} tokens. Delete one that you no longer need.`,
        );
      }
      return toEnvelope('Token created successfully.', { token: created.token, name });
    },
  });
  registerRoute(context, accountRoutes.deleteToken, {
    handle: async ({ caller, actor, params }) => {
      const { id } = caller.user;
      const tokenId = Number(params.token_id);
      await db.transactionFor(id, async (tx) => {
        const before = await deleteToken(tx, id, tokenId, { isSession: false });
        if (!before) throw AppError.notFound('Token');
        const target = { type: 'token', id: String(tokenId) };
        await recordAudit(tx, actor, { action: 'token.delete', target, before: { name: before.name } });
      });
      return toEnvelope('Token revoked successfully.', null);
    },
  });
};

const registerSessionRoutes = (context: RouteContext): void => {
  const { db, passwords } = context.services;
  registerRoute(context, accountRoutes.listSessions, {
    handle: async ({ caller: { user, tokenId } }) =>
      toEnvelope('Sessions retrieved successfully.', await listSessions(db.listsFor(user.id), user.id, tokenId)),
  });
  registerRoute(context, accountRoutes.confirmSession, {
    handle: async ({ caller: { user, tokenId }, actor, body, request }) => {
      const hash = await findPasswordHash(db, user.id);
      if (!(await passwords.isMatch(body.password, hash))) {
        await recordRefusedSignIn(db, user.id, request.ip);
        throw ValidationError.of('password', 'The password is incorrect.');
      }
      const confirmed_until = await db.transactionFor(user.id, async (tx) => {
        const until = await confirmSession(tx, user.id, tokenId);
        const target = { type: 'session', id: String(tokenId) };
        await recordAudit(tx, actor, { action: 'session.confirm', target, after: { confirmed_until: until } });
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

/** These two answers call their text `message`. */
const toMessage = <Data>(message: string, data: Data) => ({ ok: true as const, message, data });

const registerNotificationRoutes = (context: RouteContext): void => {
  const { config, db } = context.services;
  registerRoute(context, accountRoutes.listNotifications, {
    handle: async (input) => {
      const { caller, query, request } = input;
      const page = readPageInput<UserNotification>(accountRoutes.listNotifications, input, newestFirst);
      const filter = query.unread ? 'unread' : 'all';
      const { id: userId } = caller.user;
      const { data, total } = await readPage(db, userId, page, {
        list: (on) => listNotifications(on, userId, filter, page),
        count: (on, atMost) => countNotifications(on, userId, filter, atMost),
        counted: null,
      });
      const pagination = toPagination(page, total, data, toPublicUrl(request, config));
      return { ...toEnvelope('Notifications retrieved successfully.', data), pagination };
    },
  });
  registerRoute(context, accountRoutes.readNotification, {
    handle: async ({ caller, params }) => {
      const { id } = caller.user;
      const notification = await db.transactionFor(id, (tx) => markNotificationRead(tx, id, params.notification_id));
      if (!notification) throw AppError.notFound('Notification');
      return toMessage('Notification marked as read.', notification);
    },
  });
  registerRoute(context, accountRoutes.readAllNotifications, {
    handle: async ({ caller }) => {
      const changed = await markAllNotificationsRead(db.slowFor(caller.user.id), caller.user.id);
      return toMessage('All notifications marked as read.', changed);
    },
  });
};

const registerNotificationSettingsRoutes = (context: RouteContext): void => {
  const { db } = context.services;
  registerRoute(context, accountRoutes.getNotificationSettings, {
    handle: async ({ caller }) =>
      toEnvelope('Notification settings retrieved successfully.', await getNotificationSettings(db, caller.user.id)),
  });
  registerRoute(context, accountRoutes.updateNotificationSettings, {
    handle: async ({ caller, actor, body }) => {
      const { id } = caller.user;
      const settings = await db.transactionFor(id, async (tx) => {
        const before = await getNotificationSettings(tx, id);
        const after = await updateNotificationSettings(tx, id, body.kinds);
        const change = { before: before.kinds, after: after.kinds };
        const target = { type: 'notification_settings', id: null };
        await recordAudit(tx, actor, { action: 'notification_settings.update', target, ...change });
        return after;
      });
      return toEnvelope('Notification settings updated successfully.', settings);
    },
  });
};

export const registerOwnAccountRoutes = (context: RouteContext): void => {
  registerProfileRoutes(context);
  registerOfferRoutes(context);
  registerUsageRoutes(context);
  registerSecurityRoutes(context);
  registerTokenRoutes(context);
  registerSessionRoutes(context);
  registerNotificationRoutes(context);
  registerNotificationSettingsRoutes(context);
};
