/**
 * The statements of the server that sends messages. It leases a message before it sends it, and notes that it tried; whoever lost
 * the lease, because it stood still for too long, notes nothing any more.
 */
import {
  AccountStatus,
  MAX_CHANNEL_MESSAGES_PER_HOUR,
  type AlertChannelKind,
  type AlertChannelSettings,
  type AlertMessageKind,
} from '@berth/contract';
import { isOver, isUpFor, isWithin } from '../db/clock.ts';
import { sql, type Queryable } from '../db/database.ts';
import type { ToldAlert } from './texts.ts';

const isActive = `(select true from users u where u.id = m.user_id and u.status = ${AccountStatus.ACTIVE} and u.deleted_at is null limit 1)`;

/** SQL: messages that a channel took within the last hour, counted no further than its bound. */
const sentInHour = (channel: string): string => `(
  select count(*) from (
    select from alert_messages s where s.channel_id = ${channel} and s.status = 'sent' and ${isWithin('s.tried_at', `interval '1 hour'`)}
    limit ${MAX_CHANNEL_MESSAGES_PER_HOUR}
  ) as sent
)`;

const holdStatement = sql(
  'hold_alert_messages',
  `with full_channels as materialized (
     select c.channel_id, (
       select least(s.tried_at, now()) from alert_messages s
       where s.channel_id = c.channel_id and s.status = 'sent' and ${isWithin('s.tried_at', `interval '1 hour'`)}
       order by s.tried_at desc offset ${MAX_CHANNEL_MESSAGES_PER_HOUR - 1} limit 1
     ) + interval '1 hour' as free_at
     from (select distinct m.channel_id from alert_messages m where m.status = 'pending' and m.due_at <= now()) c
     where ${sentInHour('c.channel_id')} >= ${MAX_CHANNEL_MESSAGES_PER_HOUR}
   )
   update alert_messages m set is_held = true, due_at = greatest(f.free_at, now() + interval '1 second'),
     error = 'The channel had ${MAX_CHANNEL_MESSAGES_PER_HOUR} messages within an hour, so this one waits.'
   from full_channels f
   where m.channel_id = f.channel_id and m.status = 'pending' and m.due_at <= now()
     and ${isOver('m.leased_until', "$1 * interval '1 millisecond'")}`,
);
/** Time in which no server was up counts for no message: so long it may be tried afterwards. */
const AFTER_DOWNTIME = `interval '12 hours'`;

const giveUpStatement = sql(
  'give_up_alert_messages',
  `update alert_messages set status = 'failed', lease = null, leased_until = null,
     error = coalesce(error, 'It could not be sent for a day.')
   where status = 'pending' and due_at < now() - interval '1 day' and ${isUpFor(AFTER_DOWNTIME)}
     and ${isOver('leased_until', "$1 * interval '1 millisecond'")}`,
);
const LEASE = `$3 * interval '1 millisecond'`;

const claimStatement = sql(
  'claim_alert_messages',
  `with recursive channel as (
     (select channel_id as id from alert_messages where status = 'pending' order by channel_id limit 1)
     union all
     select (
       select m.channel_id from alert_messages m where m.status = 'pending' and m.channel_id > c.id order by m.channel_id limit 1
     ) from channel c where c.id is not null
   ), first as materialized (
     select d.id, d.user_id, d.due_at from channel c join alert_channels k on k.id = c.id and k.is_confirmed and (k.kind = 'email') = $4
     cross join lateral (
       select m.id, m.user_id, m.due_at from alert_messages m
       where m.channel_id = c.id and m.status = 'pending' and m.due_at <= now() and ${isOver('m.leased_until', LEASE)}
         and ${isActive}
         and (m.kind <> 'resolved' or not exists (
           select from alert_messages e
           where e.alert_id = m.alert_id and e.channel_id = m.channel_id and e.status = 'pending' and e.kind = 'opened'
         ))
       order by m.due_at, m.id limit 1
     ) d
     where not exists (
       select from alert_messages b where b.status = 'pending' and not ${isOver('b.leased_until', LEASE)} and b.channel_id = c.id
     )
   ), ranked as (
     select f.id, row_number() over (partition by f.user_id order by f.due_at, f.id)
       + (select count(*) from unnest($5::uuid[]) as u (id) where u.id = f.user_id) as turn
     from first f
   ), chosen as (
     select m.id from alert_messages m join ranked r on r.id = m.id and r.turn <= $6
     where m.status = 'pending' and ${isOver('m.leased_until', LEASE)}
     order by r.turn, m.id limit $2 for update of m skip locked
   )
   update alert_messages m set lease = $1, leased_until = now() + $3 * interval '1 millisecond', attempts = m.attempts + 1,
     tried_at = now()
   from chosen, alert_channels c, alerts a
   where m.id = chosen.id and c.id = m.channel_id and a.id = m.alert_id
   returning m.id, m.user_id, m.channel_id, m.alert_id, m.kind, m.attempts, m.screenshot_id, c.kind as channel_kind, c.settings, c.secrets,
     c.with_screenshot,
     a.when, a.rule_name, a.subject, a.opened_at, a.resolved_at, a.acknowledged_at is not null as is_acknowledged,
     ${sentInHour('m.channel_id')} as sent_in_hour, (
       select count(*) from alerts o
       where o.rule_id = a.rule_id and o.opened_at > a.opened_at - interval '1 hour' and o.opened_at <= a.opened_at
     ) as opened_in_hour`,
);

/** A message that is to be sent now, by us. */
export interface ClaimedMessage extends ToldAlert {
  id: string;
  user_id: string;
  channel_id: string;
  alert_id: string;
  kind: AlertMessageKind;
  /** This one included. */
  attempts: number;
  /** Chosen at an earlier try; null: there was none, or it was not taken. */
  screenshot_id: string | null;
  channel_kind: AlertChannelKind;
  settings: AlertChannelSettings;
  secrets: string | null;
  with_screenshot: boolean;
  is_acknowledged: boolean;
  sent_in_hour: number;
  opened_in_hour: number;
}

export interface MessageClaim {
  /** Mails, or messages to chats: one kind at a time. */
  isMail: boolean;
  limit: number;
  /** As many of one user, with those that are under way. */
  perUser: number;
  /** Whose messages of the kind are under way: a user for each. */
  underWay: readonly string[];
  leaseMs: number;
}

const hasDueStatement = sql(
  'has_due_alert_messages',
  `select from alert_messages where status = 'pending' and due_at <= now() limit 1`,
);

/**
 * Leases messages that are due, users in turns, one for each channel, and no end of an alert before its beginning. Those of a
 * channel that had its messages of the hour are put off, and what could not be sent for a day is given up.
 */
export const claimMessages = async (
  db: Queryable,
  lease: string,
  { isMail, limit, perUser, underWay, leaseMs }: MessageClaim,
): Promise<ClaimedMessage[]> => {
  if ((await db.query(hasDueStatement)).length === 0) return [];
  await db.query(holdStatement, [leaseMs]);
  await db.query(giveUpStatement, [leaseMs]);
  return db.query<ClaimedMessage>(claimStatement, [lease, limit, leaseMs, isMail, underWay, perUser]);
};

const recordStatement = sql(
  'record_alert_message',
  `update alert_messages set status = $3, error = $4, due_at = case when $5::double precision is null then due_at
     else now() + $5 * interval '1 second' end, screenshot_id = case when $7 then screenshot_id end, tried_at = now(),
     lease = null, leased_until = null
   where id = $1 and lease = $2 and status = 'pending' and attempts = $6 returning id`,
);

/** What came of a try. */
export interface TriedMessage {
  status: 'pending' | 'sent' | 'failed';
  error: string | null;
  /** Seconds until the next try; null: there is none. */
  waitS: number | null;
  /** The next try carries the same screenshot. */
  keepsScreenshot: boolean;
}

/** @returns false: the lease was lost, and nothing is noted */
export const recordMessage = async (
  db: Queryable,
  lease: string,
  { id, attempts }: Pick<ClaimedMessage, 'id' | 'attempts'>,
  { status, error, waitS, keepsScreenshot }: TriedMessage,
): Promise<boolean> =>
  (await db.query(recordStatement, [id, lease, status, error, waitS, attempts, keepsScreenshot])).length > 0;

const releaseStatement = sql(
  'release_alert_message',
  `update alert_messages set lease = null, leased_until = null, attempts = attempts - 1 where id = $1 and lease = $2`,
);

/** It was not tried after all: this server had no place for it, or stops. */
export const releaseMessage = async (db: Queryable, lease: string, id: string): Promise<void> => {
  await db.query(releaseStatement, [id, lease]);
};
