/** Channels as their owners see and change them. */
import type { AlertChannel, AlertChannelKind, AlertChannelSettings } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

const columns = `id, kind, name, settings, with_screenshot, is_confirmed, last_sent_at, last_error, created_at, updated_at`;

const listStatement = sql(
  'list_alert_channels',
  `select ${columns} from alert_channels where user_id = $1 and id > $2 order by id limit $3`,
);

/** The user's channels, oldest first. @param after the id of the last one that was seen */
export const listChannels = (db: Queryable, userId: string, after: string, limit: number): Promise<AlertChannel[]> =>
  db.query(listStatement, [userId, after, limit]);

const findStatement = sql('find_alert_channel', `select ${columns} from alert_channels where user_id = $1 and id = $2`);

export const findChannel = async (db: Queryable, userId: string, id: string): Promise<AlertChannel | undefined> =>
  (await db.query<AlertChannel>(findStatement, [userId, id]))[0];

const lockStatement = sql(
  'lock_alert_channel',
  `select ${columns}, secrets from alert_channels where user_id = $1 and id = $2 for no key update`,
);

/** With its sealed secrets. */
export interface SealedChannel extends AlertChannel {
  secrets: string | null;
}

export const lockChannel = async (tx: Queryable, userId: string, id: string): Promise<SealedChannel | undefined> =>
  (await tx.query<SealedChannel>(lockStatement, [userId, id]))[0];

/** The operator's address is a setting of the server. */
const lockUserStatement = sql(
  'lock_user_for_alerts',
  `select email, email_verified_at is not null or is_operator as is_verified from users where id = $1 for no key update`,
);
const countStatement = sql('count_alert_channels', `select count(*) as total from alert_channels where user_id = $1`);

/** Whose channels they are. */
export interface ChannelOwner {
  email: string;
  /** Somebody has read a mail that was sent there, or an operator named the address. */
  is_verified: boolean;
}

/** Counts a user's channels; until the transaction ends, nobody else can create one for the user. */
export const countChannelsLocked = async (
  tx: Queryable,
  userId: string,
): Promise<{ total: number; owner: ChannelOwner }> => {
  const [user] = await tx.query<ChannelOwner>(lockUserStatement, [userId]);
  const [count] = await tx.query<{ total: number }>(countStatement, [userId]);
  return { total: count?.total ?? 0, owner: user ?? { email: '', is_verified: false } };
};

const insertStatement = sql(
  'insert_alert_channel',
  `insert into alert_channels (id, user_id, kind, name, settings, secrets, is_confirmed, with_screenshot)
   values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${columns}`,
);

export interface NewChannel {
  id: string;
  userId: string;
  kind: AlertChannelKind;
  name: string;
  /** Without secrets. */
  settings: AlertChannelSettings;
  secrets: string | null;
  isConfirmed: boolean;
  withScreenshot: boolean;
}

export const insertChannel = async (tx: Queryable, channel: NewChannel): Promise<AlertChannel> => {
  const { id, userId, kind, name, settings, secrets, isConfirmed, withScreenshot } = channel;
  const values = [id, userId, kind, name, JSON.stringify(settings), secrets, isConfirmed, withScreenshot];
  return (await tx.query<AlertChannel>(insertStatement, values))[0]!;
};

const writeStatement = sql(
  'write_alert_channel',
  `update alert_channels set name = $3, settings = $4, secrets = $5, is_confirmed = $6, with_screenshot = $7,
     updated_at = now()
   where user_id = $1 and id = $2 returning ${columns}`,
);

export type ChannelChanges = Pick<NewChannel, 'name' | 'settings' | 'secrets' | 'isConfirmed' | 'withScreenshot'>;

/** Writes a channel that the transaction has locked. */
export const writeChannel = async (
  tx: Queryable,
  userId: string,
  id: string,
  { name, settings, secrets, isConfirmed, withScreenshot }: ChannelChanges,
): Promise<AlertChannel> => {
  const values = [userId, id, name, JSON.stringify(settings), secrets, isConfirmed, withScreenshot];
  return (await tx.query<AlertChannel>(writeStatement, values))[0]!;
};

const deleteStatement = sql(
  'delete_alert_channel',
  `with gone as (delete from alert_channels where user_id = $1 and id = $2 returning id),
   left_out as (
     update alert_rules set channel_ids = array_remove(channel_ids, $2), updated_at = now()
     where user_id = $1 and $2 = any(channel_ids) and exists (select from gone)
   )
   select id from gone`,
);

/** Deletes a channel, and takes it out of the rules. @returns whether there was one */
export const deleteChannel = async (tx: Queryable, userId: string, id: string): Promise<boolean> =>
  (await tx.query(deleteStatement, [userId, id])).length > 0;

const findAddressStatement = sql(
  'find_address_of_alert_channel',
  `select c.settings ->> 'to' as address, c.is_confirmed, u.email as account
   from alert_channels c join users u on u.id = c.user_id and u.deleted_at is null where c.id = $1 and c.kind = 'email'`,
);

export interface ChannelAddress {
  address: string;
  is_confirmed: boolean;
  /** Who asks. */
  account: string;
}

/** For the link that was mailed to the address. */
export const findChannelAddress = async (db: Queryable, id: string): Promise<ChannelAddress | undefined> =>
  (await db.query<ChannelAddress>(findAddressStatement, [id]))[0];

const confirmStatement = sql(
  'confirm_alert_channel',
  `with confirmed as (
     update alert_channels set is_confirmed = true, updated_at = now()
     where id = $1 and kind = 'email' and settings ->> 'to' = $2 and not is_confirmed returning user_id
   ), verified as (
     update users u set email_verified_at = now() from confirmed
     where u.id = confirmed.user_id and lower(u.email) = lower($2) and u.email_verified_at is null
   )
   select user_id from confirmed`,
);

/** The owner of an address agrees, who came by the link of the mail, which verifies that of an account. @returns whether there was something to agree to */
export const confirmChannel = async (db: Queryable, id: string, to: string): Promise<boolean> =>
  (await db.query(confirmStatement, [id, to])).length > 0;

const noteStatement = sql(
  'note_alert_channel',
  `update alert_channels set last_error = $3, last_sent_at = case when $3::text is null then now() else last_sent_at end
   where user_id = $1 and id = $2`,
);

/** Notes what came of the last message. @param error null: it was taken */
export const noteChannel = async (db: Queryable, userId: string, id: string, error: string | null): Promise<void> => {
  await db.query(noteStatement, [userId, id, error]);
};
