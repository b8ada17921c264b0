/** Alerts as their owners see them. */
import type { Alert, AlertMessage } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

/** Messages of one alert that are shown. */
const SHOWN_MESSAGES = 100;

const columns = `a.id, a.rule_id, a.rule_name, a.when, a.subject, a.opened_at, a.acknowledged_at, a.resolved_at,
  coalesce((
    select json_agg(json_build_object('id', m.id, 'channel_id', m.channel_id, 'kind', m.kind,
      'at', coalesce(case when m.status <> 'pending' then m.tried_at end, m.due_at),
      'ok', case m.status when 'sent' then true when 'pending' then null else false end, 'error', m.error) order by m.id)
    from (select * from alert_messages where alert_id = a.id order by id desc limit ${SHOWN_MESSAGES}) m
  ), '[]') as messages`;

type Row = Omit<Alert, 'messages'> & { messages: AlertMessage[] };

/** Times within JSON come as PostgreSQL writes them. */
const toAlert = (row: Row): Alert => ({
  ...row,
  messages: row.messages.map((message) => ({ ...message, at: new Date(message.at).toISOString() })),
});

const listStatement = sql(
  'list_alerts',
  `select ${columns} from alerts a
   where a.user_id = $1 and a.id < $2 and ($3::uuid is null or a.rule_id = $3)
     and ($4::boolean is null or (a.resolved_at is null) = $4)
     and ($5::timestamptz is null or a.resolved_at >= $5)
   order by a.id desc limit $6`,
);

export interface AlertFilter {
  ruleId: string | null;
  /** null: both. */
  isOpen: boolean | null;
  /** Only what was over then or later; null: all. */
  resolvedSince: string | null;
}

/** Newest first. @param before the id of the last one that was seen */
export const listAlerts = async (
  db: Queryable,
  userId: string,
  { before, ruleId, isOpen, resolvedSince, limit }: AlertFilter & { before: string; limit: number },
): Promise<Alert[]> =>
  (await db.query<Row>(listStatement, [userId, before, ruleId, isOpen, resolvedSince, limit])).map(toAlert);

const findStatement = sql('find_alert', `select ${columns} from alerts a where a.user_id = $1 and a.id = $2`);

export const findAlert = async (db: Queryable, userId: string, id: string): Promise<Alert | undefined> =>
  (await db.query<Row>(findStatement, [userId, id])).map(toAlert)[0];

const acknowledgeStatement = sql(
  'acknowledge_alert',
  `with seen as (
     update alerts set acknowledged_at = coalesce(acknowledged_at, now()) where user_id = $1 and id = $2 returning id
   ), left_out as (
     update alert_messages set status = 'skipped', error = 'The alert was acknowledged before this could be sent.'
     where alert_id in (select id from seen) and kind = 'reminder' and status = 'pending'
   )
   select id from seen`,
);

/** Somebody takes care of it: reminders that wait are left out; the first time stays. @returns whether there is such an alert */
export const acknowledgeAlert = async (db: Queryable, userId: string, id: string): Promise<boolean> =>
  (await db.query(acknowledgeStatement, [userId, id])).length > 0;

const findLinkedStatement = sql(
  'find_linked_alert',
  `select a.when, a.subject, a.acknowledged_at, a.resolved_at from alerts a join users u on u.id = a.user_id and u.deleted_at is null
   where a.id = $1`,
);

/** For the link of a message, whose signature is the right to see it. */
export const findLinkedAlert = async (
  db: Queryable,
  id: string,
): Promise<Pick<Alert, 'when' | 'subject' | 'acknowledged_at' | 'resolved_at'> | undefined> =>
  (await db.query<Pick<Alert, 'when' | 'subject' | 'acknowledged_at' | 'resolved_at'>>(findLinkedStatement, [id]))[0];

const ownerStatement = sql('find_owner_of_alert', `select user_id from alerts where id = $1`);

/** Somebody who has its link takes care of it. */
export const acknowledgeByLink = async (tx: Queryable, id: string): Promise<void> => {
  const [alert] = await tx.query<{ user_id: string }>(ownerStatement, [id]);
  if (alert) await acknowledgeAlert(tx, alert.user_id, id);
};
