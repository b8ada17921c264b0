import { accountRoutes, type UserNotification } from '@berth/contract';
import { toEnvelope } from '../../../http/envelope.ts';
import { registerRoute, type RouteContext } from '../../../http/route.ts';
import { AppError } from '../../../../errors.ts';
import { newestFirst, readPageInput } from '../../../http/cursor.ts';
import { toPagination } from '../../../http/pagination.ts';
import { toPublicUrl } from '../../../http/public-url.ts';
import { readPage } from '../../../../db/page.ts';
import {
  countNotifications,
  listNotifications,
  markAllNotificationsRead,
  markNotificationRead,
} from '../../../../notifications/queries.ts';

/** These two answers call their text `message`. */
const toMessage = <Data>(message: string, data: Data) => ({ ok: true as const, message, data });

export const registerNotificationRoutes = (context: RouteContext): void => {
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
