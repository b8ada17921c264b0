import { toNotificationClass, type Notification, type NotificationType } from '@berth/contract';
import { v7 as uuid } from 'uuid';
import { userModel } from '../account/queries.ts';
import { sql, type Queryable } from '../db/database.ts';
import { toOffset, type PageInput } from '../http/pagination.ts';

/** Most notifications that one "mark all as read" answers, newest first; it marks every one. */
export const MAX_READ_ALL_ITEMS = 10_000;

const columns = `id, user_id as notifiable_id, type, data, read_at, created_at, updated_at`;

interface Row extends Omit<Notification, 'notifiable_model'> {
  type: NotificationType;
}

const toNotification = (row: Row): Notification => ({
  ...row,
  type: toNotificationClass(row.type),
  notifiable_model: userModel,
});

const insertStatement = sql(
  'insert_notifications',
  `insert into notifications (id, user_id, type, data)
   select n.id, n.user_id, n.type, jsonb_build_object('id', n.resource_id, 'name', n.resource_name)
   from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[])
     as n (id, user_id, type, resource_id, resource_name)`,
);

export interface NewNotification {
  userId: string;
  type: NotificationType;
  /** The resource that it is about. */
  id: string;
  name: string;
}

/** Writes any number of notifications with one statement. */
export const insertNotifications = async (db: Queryable, rows: readonly NewNotification[]): Promise<void> => {
  if (rows.length === 0) return;
  await db.query(insertStatement, [
    rows.map(() => uuid()),
    rows.map((row) => row.userId),
    rows.map((row) => row.type),
    rows.map((row) => row.id),
    rows.map((row) => row.name),
  ]);
};

const toListText = (condition: string) =>
  `select ${columns} from notifications where user_id = $1 ${condition}
   order by created_at desc, id desc limit $2 offset $3::bigint`;
const toCountText = (condition: string) =>
  `select count(*) as total from notifications where user_id = $1 ${condition}`;

const listStatements = {
  all: sql('list_notifications', toListText('')),
  unread: sql('list_unread_notifications', toListText('and read_at is null')),
};
const countStatements = {
  all: sql('count_notifications', toCountText('')),
  unread: sql('count_unread_notifications', toCountText('and read_at is null')),
};

export type NotificationFilter = keyof typeof listStatements;

export const listNotifications = async (
  db: Queryable,
  userId: string,
  filter: NotificationFilter,
  page: PageInput,
): Promise<Notification[]> => {
  const rows = await db.query<Row>(listStatements[filter], [userId, page.per_page, toOffset(page)]);
  return rows.map(toNotification);
};

export const countNotifications = async (db: Queryable, userId: string, filter: NotificationFilter): Promise<number> =>
  (await db.query<{ total: number }>(countStatements[filter], [userId]))[0]?.total ?? 0;

const markReadStatement = sql(
  'mark_notification_read',
  `update notifications
   set read_at = coalesce(read_at, now()), updated_at = case when read_at is null then now() else updated_at end
   where id = $2 and user_id = $1
   returning ${columns}`,
);

/** The notification, read; one that was read before keeps its first time. Undefined when the user has no such one. */
export const markNotificationRead = async (
  db: Queryable,
  userId: string,
  id: string,
): Promise<Notification | undefined> => (await db.query<Row>(markReadStatement, [userId, id])).map(toNotification)[0];

const markAllReadStatement = sql(
  'mark_all_notifications_read',
  `with changed as (
     update notifications set read_at = now(), updated_at = now()
     where user_id = $1 and read_at is null
     returning ${columns}
   )
   select * from changed order by created_at desc, id desc limit $2`,
);

/** Marks every unread one; answers those that it changed, newest first, at most MAX_READ_ALL_ITEMS of them. */
export const markAllNotificationsRead = async (db: Queryable, userId: string): Promise<Notification[]> =>
  (await db.query<Row>(markAllReadStatement, [userId, MAX_READ_ALL_ITEMS])).map(toNotification);
