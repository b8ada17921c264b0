import { accountRoutes } from '@berth/contract';
import { recordAudit } from '../../../audit/record.ts';
import { toWelcomeDays, updateProfile } from '../../../accounts/users.ts';
import { isUuid } from '../../../validation/uuid.ts';
import { toEnvelope } from '../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';
import { unknownProject } from '../../../validation/unknown-choices.ts';
import { findPasswordHash } from '../../../accounts/credentials.ts';
import { assertUncommon, replacePassword } from '../../../accounts/passwords.ts';
import { ValidationError } from '../../../errors.ts';
import { getNotificationSettings, updateNotificationSettings } from '../../../notifications/queries.ts';
import { registerNotificationRoutes } from './account/notifications.ts';
import { registerSessionRoutes } from './account/sessions.ts';
import { registerTokenRoutes } from './account/tokens.ts';

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
