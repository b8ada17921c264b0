import {
  notificationTypes,
  toNotificationClass,
  userModel,
  type NotificationSettings,
  type NotificationType,
  type UserNotification,
} from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import { isOlder, toKey, toOffset, type PageInput } from '../db/page.ts';

/** The most notifications that "mark all as read" returns, newest first; it marks every one. */
export const MAX_READ_ALL_ITEMS = 10_000;

const columns = `id, user_id as notifiable_id, type, data, read_at, created_at, updated_at`;

interface Row extends Omit<UserNotification, 'notifiable_model' | 'type'> {
  type: NotificationType;
}

const toNotification = (row: Row): UserNotification => ({
  ...row,
  type: toNotificationClass(row.type),
  notifiable_model: userModel,
});

/**
 * A second notification of a kind about the same object within this time increments the count of the first one instead.
 */
const COUNTED_MS = 300_000;

/**
 * A notification whose count is incremented is unread again, and its trigger announces it like a new one. A transaction
 * that notifies of a terminal locks its row, so that two concurrent ones do not both insert.
 */
const insertStatement = sql(
  'insert_notifications',
  `with told as (
     select t.*, l.id as last_id
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[]) as t (id, user_id, type, resource_id, resource_name)
     left join lateral (
       select n.id from notifications n
       where n.user_id = t.user_id and n.data ->> 'id' = t.resource_id and n.type = t.type
         and n.created_at > now() - $6::double precision * interval '1 millisecond'
       order by n.created_at desc limit 1
     ) l on true
     -- Nobody waits for an automatic screenshot.
     where (
       select true from automatic_screenshots a
       where a.task_id = case when t.type = 'TaskFailed' then t.resource_id::uuid end limit 1
     ) is null
       and not exists (select from users u where u.id = t.user_id and t.type = any(u.muted_notifications))
   ), inserted as (
     insert into notifications (id, user_id, type, data)
     select id, user_id, type, jsonb_build_object('id', resource_id, 'name', resource_name) from told where last_id is null
   ), counted as (
     update notifications n set read_at = null, updated_at = now(), data = n.data || jsonb_build_object(
       'name', t.resource_name, 'count', coalesce((n.data ->> 'count')::integer, 1) + 1)
     from told t where n.id = t.last_id
     returning n.id, n.user_id
   )
   select announce(array_agg(user_id), 'notification', array_agg(json_build_object('id', id))) from counted
   having count(*) > 0`,
);

export interface NewNotification {
  userId: string;
  type: NotificationType;
  /** The resource that it is about. */
  id: string;
  name: string;
}

/**
 * Writes any number of notifications with one statement, or increments the count of recent ones. What a user turned
 * off is left out.
 */
export const insertNotifications = async (db: Queryable, rows: readonly NewNotification[]): Promise<void> => {
  if (rows.length === 0) return;
  await db.query(insertStatement, [
    rows.map(() => createId()),
    rows.map((row) => row.userId),
    rows.map((row) => row.type),
    rows.map((row) => row.id),
    rows.map((row) => row.name),
    COUNTED_MS,
  ]);
};

const toListText = (condition: string) =>
  `select ${columns} from notifications where user_id = $1 ${condition} and ${isOlder(4)}
   order by created_at desc, id desc limit $2 offset $3::bigint`;
const toCountText = (condition: string) =>
  `select count(*) as total from (select from notifications where user_id = $1 ${condition} limit $2) counted`;

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
): Promise<UserNotification[]> => {
  const rows = await db.query<Row>(listStatements[filter], [userId, page.per_page, toOffset(page), ...toKey(page, 2)]);
  return rows.map(toNotification);
};

/** @param atMost counts no further; null: all */
export const countNotifications = async (
  db: Queryable,
  userId: string,
  filter: NotificationFilter,
  atMost: number | null,
): Promise<number> => (await db.query<{ total: number }>(countStatements[filter], [userId, atMost]))[0]?.total ?? 0;

const markReadStatement = sql(
  'mark_notification_read',
  `update notifications
   set read_at = coalesce(read_at, now()), updated_at = case when read_at is null then now() else updated_at end
   where id = $2 and user_id = $1
   returning ${columns}`,
);

/**
 * Marks the notification as read; one that was read before keeps its first time. Undefined when the user has no such
 * one.
 */
export const markNotificationRead = async (
  db: Queryable,
  userId: string,
  id: string,
): Promise<UserNotification | undefined> =>
  (await db.query<Row>(markReadStatement, [userId, id])).map(toNotification)[0];

const markAllReadStatement = sql(
  'mark_all_notifications_read',
  `with changed as (
     update notifications set read_at = now(), updated_at = now()
     where user_id = $1 and read_at is null
     returning ${columns}
   )
   select * from changed order by created_at desc, id desc limit $2`,
);

/** Marks every unread one; returns those that it changed, newest first, at most MAX_READ_ALL_ITEMS of them. */
export const markAllNotificationsRead = async (db: Queryable, userId: string): Promise<UserNotification[]> =>
  (await db.query<Row>(markAllReadStatement, [userId, MAX_READ_ALL_ITEMS])).map(toNotification);

interface Muted {
  muted: NotificationType[];
}

const toSettings = ([row]: Muted[]): NotificationSettings => ({
  kinds: Object.fromEntries(
    notificationTypes.map((type) => [type, !row?.muted.includes(type)]),
  ) as NotificationSettings['kinds'],
});

const getStatement = sql('get_muted_notifications', `select muted_notifications as muted from users where id = $1`);

/** Of which kinds the user is notified. */
export const getNotificationSettings = async (db: Queryable, userId: string): Promise<NotificationSettings> =>
  toSettings(await db.query<Muted>(getStatement, [userId]));

const updateStatement = sql(
  'update_muted_notifications',
  `update users
   set muted_notifications = array(
     select distinct kind from unnest(muted_notifications || $2::text[]) as kind where kind <> all($3::text[]) order by kind)
   where id = $1
   returning muted_notifications as muted`,
);

/** Turns kinds off and on; the others stay as they are. */
export const updateNotificationSettings = async (
  db: Queryable,
  userId: string,
  kinds: Partial<NotificationSettings['kinds']>,
): Promise<NotificationSettings> => {
  const [off, on] = [false, true].map((wanted) => notificationTypes.filter((type) => kinds[type] === wanted));
  return toSettings(await db.query<Muted>(updateStatement, [userId, off, on]));
};
