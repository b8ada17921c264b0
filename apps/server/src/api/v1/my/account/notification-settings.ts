import { accountRoutes } from '@berth/contract';
import { recordAudit } from '../../../../audit/record.ts';
import { getNotificationSettings, updateNotificationSettings } from '../../../../notifications/settings.ts';
import { toEnvelope } from '../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../http/route.ts';

export const registerNotificationSettingsRoutes = (context: RouteContext): void => {
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
