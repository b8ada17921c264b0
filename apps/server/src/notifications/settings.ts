import { notificationTypes, type NotificationSettings, type NotificationType } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

interface Row {
  muted: NotificationType[];
}

const toSettings = ([row]: Row[]): NotificationSettings => ({
  kinds: Object.fromEntries(
    notificationTypes.map((type) => [type, !row?.muted.includes(type)]),
  ) as NotificationSettings['kinds'],
});

const getStatement = sql('get_muted_notifications', `select muted_notifications as muted from users where id = $1`);

/** Of which kinds the user is notified. */
export const getNotificationSettings = async (db: Queryable, userId: string): Promise<NotificationSettings> =>
  toSettings(await db.query<Row>(getStatement, [userId]));

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
  return toSettings(await db.query<Row>(updateStatement, [userId, off, on]));
};
