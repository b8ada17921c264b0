import { accountRoutes } from '@berth/contract';
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
    handle: async ({ caller, body }) => {
      const { id } = caller.user;
      const settings = await db.transactionFor(id, (tx) => updateNotificationSettings(tx, id, body.kinds));
      return toEnvelope('Notification settings updated successfully.', settings);
    },
  });
};
