/** The statements by which the alerts of a user are looked at and written, in one transaction that holds his place in the log. */
import type { AlertCondition, AlertMessageKind, AlertRule } from '@berth/contract';
import { AccountStatus } from '@berth/contract';
import { isWithin } from '../db/clock.ts';
import { sql, type Queryable } from '../db/database.ts';
import type { Subject } from './decision.ts';

const toMs = (time: string): string => `(extract(epoch from ${time}) * 1000)::double precision`;

const wakesStatement = sql(
  'list_alert_wakes',
  `select user_id, array_agg(id::text order by id) as wakes from (
     select user_id, id from alert_wakes order by id limit 10000
   ) w group by user_id order by min(id) limit $1`,
);
const dueStatement = sql(
  'list_due_alert_readers',
  `select user_id from alert_readers where due_at <= now() order by due_at limit $1`,
);

export interface Waking {
  user_id: string;
  /** Ids of the wakes that were seen. */
  wakes: string[];
}

/** Users whose alerts have to be looked at now. */
export const listWaking = async (db: Queryable, limit: number): Promise<Waking[]> => {
  const [woken, due] = await Promise.all([
    db.query<Waking>(wakesStatement, [limit]),
    db.query<{ user_id: string }>(dueStatement, [limit]),
  ]);
  const known = new Set(woken.map((row) => row.user_id));
  return [...woken, ...due.flatMap(({ user_id }) => (known.has(user_id) ? [] : [{ user_id, wakes: [] }]))];
};

const ensureStatement = sql(
  'ensure_alert_reader',
  `insert into alert_readers (user_id, position) select id, $2 from users where id = $1 on conflict (user_id) do nothing`,
);
const lockStatement = sql(
  'lock_alert_reader',
  `select r.position, r.has_defaults, ${toMs('now()')} as now,
     u.status = ${AccountStatus.ACTIVE} and u.deleted_at is null as is_active,
     exists (select from terminals t where t.user_id = r.user_id and t.deleted_at is null) as has_terminals
   from alert_readers r join users u on u.id = r.user_id where r.user_id = $1 for update of r skip locked`,
);

export interface Reader {
  position: number;
  has_defaults: boolean;
  /** Milliseconds since 1970, by the clock of the database. */
  now: number;
  is_active: boolean;
  has_terminals: boolean;
}

/**
 * Gives a user a place in the log, unless he has one: what happens after this event is looked at, however late.
 * @param beginning the newest event
 */
export const ensureReader = async (tx: Queryable, userId: string, beginning: number): Promise<void> => {
  await tx.query(ensureStatement, [userId, beginning]);
};

/** Holds a user's place in the log until the transaction ends. @returns undefined: another server has it, or he is gone */
export const lockReader = async (tx: Queryable, userId: string, beginning: number): Promise<Reader | undefined> => {
  await ensureReader(tx, userId, beginning);
  return (await tx.query<Reader>(lockStatement, [userId]))[0];
};

const moveStatement = sql(
  'move_alert_reader',
  `update alert_readers set position = $2, has_defaults = has_defaults or $3,
     due_at = to_timestamp($4::double precision / 1000)
   where user_id = $1`,
);
const forgetWakesStatement = sql(
  'forget_alert_wakes',
  `delete from alert_wakes where user_id = $1 and id = any($2::bigint[])`,
);

/** Moves the place on. @param dueAt when to look again even if nothing happens; null: never */
export const moveReader = async (
  tx: Queryable,
  userId: string,
  next: { position: number; hasDefaults: boolean; dueAt: number | null; wakes: readonly string[] },
): Promise<void> => {
  await tx.query(moveStatement, [userId, next.position, next.hasDefaults, next.dueAt]);
  if (next.wakes.length > 0) await tx.query(forgetWakesStatement, [userId, next.wakes]);
};

const rulesStatement = sql(
  'list_rules_to_follow',
  `select r.id, r.name, r."when", r.for_minutes, r.remind_every_minutes, r.project_id, r.terminal_ids, r.quiet_hours,
     array(select c.id from alert_channels c where c.id = any(r.channel_ids) and c.user_id = r.user_id and c.is_confirmed order by c.id)
       as channel_ids, case when r.updated_at > now() then 0 else ${toMs('r.updated_at')} end as changed_at,
     array(select ${toMs('a.opened_at')} from alerts a
       where a.rule_id = r.id and ${isWithin('a.opened_at', `interval '1 hour'`)} order by a.opened_at) as openings
   from alert_rules r where r.user_id = $1 and r.enabled order by r.id for key share of r`,
);

export interface FollowedRule extends Pick<
  AlertRule,
  | 'id'
  | 'name'
  | 'when'
  | 'for_minutes'
  | 'remind_every_minutes'
  | 'project_id'
  | 'terminal_ids'
  | 'quiet_hours'
  | 'channel_ids'
> {
  /** 0: the clock was ahead then, and was set back since. */
  changed_at: number;
  openings: number[];
}

/** The rules of a user that are followed, which stay until the transaction ends. */
export const listFollowedRules = (tx: Queryable, userId: string): Promise<FollowedRule[]> =>
  tx.query(rulesStatement, [userId]);

const subjectsStatement = sql(
  'list_alert_subjects',
  `select s.rule_id, s.subject_id as "subjectId", s.name, s.host, s.reason, ${toMs('s.began_at')} as "beganAt",
     ${toMs('s.ended_at')} as "endedAt", s.flaps, s.alert_id as "alertId"
   from alert_subjects s where s.rule_id = any($1::uuid[])`,
);

export type StoredSubject = Subject & { rule_id: string };

export const listSubjects = (tx: Queryable, ruleIds: readonly string[]): Promise<StoredSubject[]> =>
  tx.query(subjectsStatement, [ruleIds]);

const openStatement = sql(
  'list_open_alerts',
  `select id, rule_id, ${toMs('opened_at')} as "openedAt", ${toMs('tells_at')} as "tellsAt", ${toMs('told_at')} as "toldAt",
     acknowledged_at is not null as "isAcknowledged"
   from alerts where user_id = $1 and resolved_at is null order by id for no key update`,
);

export interface StoredAlert {
  id: string;
  rule_id: string | null;
  openedAt: number;
  tellsAt: number;
  toldAt: number;
  isAcknowledged: boolean;
}

export const listOpen = (tx: Queryable, userId: string): Promise<StoredAlert[]> => tx.query(openStatement, [userId]);

const dropStatement = sql(
  'drop_alert_subjects',
  `delete from alert_subjects where rule_id = $1 and subject_id = any($2::uuid[])`,
);
const writeStatement = sql(
  'write_alert_subjects',
  `insert into alert_subjects (rule_id, subject_id, name, host, reason, began_at, ended_at, flaps, alert_id)
   select $1, id, name, host, reason, to_timestamp(began / 1000), to_timestamp(ended / 1000), flaps, alert_id
   from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::double precision[], $7::double precision[], $8::integer[], $9::uuid[])
     as s (id, name, host, reason, began, ended, flaps, alert_id)
   on conflict (rule_id, subject_id) do update set name = excluded.name, host = excluded.host, reason = excluded.reason,
     began_at = excluded.began_at, ended_at = excluded.ended_at, flaps = excluded.flaps, alert_id = excluded.alert_id`,
);

export const writeSubjects = async (
  tx: Queryable,
  ruleId: string,
  gone: readonly string[],
  changed: readonly Subject[],
): Promise<void> => {
  if (gone.length > 0) await tx.query(dropStatement, [ruleId, gone]);
  if (changed.length === 0) return;
  await tx.query(writeStatement, [
    ruleId,
    changed.map((one) => one.subjectId),
    changed.map((one) => one.name),
    changed.map((one) => one.host),
    changed.map((one) => one.reason),
    changed.map((one) => one.beganAt),
    changed.map((one) => one.endedAt),
    changed.map((one) => one.flaps),
    changed.map((one) => one.alertId),
  ]);
};

const insertAlertStatement = sql(
  'insert_alert',
  `insert into alerts (id, user_id, rule_id, rule_name, "when", subject, tells_at, told_at)
   values ($1, $2, $3, $4, $5, $6, to_timestamp($7::double precision / 1000), to_timestamp($7::double precision / 1000))`,
);

/** What an alert is about, as the API shows it, without what is only known later. */
export interface AlertSubject {
  terminals: number;
  with_positions: number | null;
  host: string | null;
  terminal_ids: string[];
  names: string[];
  reason: string | null;
}

export const insertAlert = async (
  tx: Queryable,
  userId: string,
  rule: { id: string; name: string; when: AlertCondition },
  alert: { id: string; subject: AlertSubject; tellsAt: number },
): Promise<void> => {
  const { id, subject, tellsAt } = alert;
  await tx.query(insertAlertStatement, [id, userId, rule.id, rule.name, rule.when, JSON.stringify(subject), tellsAt]);
};

const readSubjectStatement = sql('read_alert_subject', `select subject from alerts where id = $1`);
const writeSubjectStatement = sql('write_alert_subject', `update alerts set subject = $2 where id = $1`);

/** Changes what an alert is about. The transaction holds it. */
export const changeAlertSubject = async (
  tx: Queryable,
  id: string,
  change: (subject: AlertSubject) => Promise<AlertSubject>,
): Promise<void> => {
  const [row] = await tx.query<{ subject: AlertSubject }>(readSubjectStatement, [id]);
  if (row) await tx.query(writeSubjectStatement, [id, JSON.stringify(await change(row.subject))]);
};

const remindStatement = sql(
  'note_reminder',
  `update alerts set told_at = to_timestamp($2::double precision / 1000) where id = $1`,
);

export const noteReminder = async (tx: Queryable, id: string, now: number): Promise<void> => {
  await tx.query(remindStatement, [id, now]);
};

const resolveStatement = sql(
  'resolve_alert',
  `with over as (
     update alerts set resolved_at = to_timestamp($2::double precision / 1000) where id = $1 and resolved_at is null
     returning id, rule_id, rule_name, "when", subject
   ), left_out as (
     update alert_messages set status = 'skipped', error = 'The alert was over before this could be sent.'
     where alert_id in (select id from over) and status = 'pending' and (is_held or kind = 'reminder')
   )
   select over.*, array(
     select distinct m.channel_id from alert_messages m
     where m.alert_id = over.id and m.kind = 'opened' and (m.status = 'sent' or m.status = 'pending' and not m.is_held)
   ) as told_channels from over`,
);

export interface ResolvedAlert {
  id: string;
  rule_id: string | null;
  rule_name: string;
  when: AlertCondition;
  subject: AlertSubject;
  /** Channels whose readers know that it began. */
  told_channels: string[];
}

/** Ends an alert; what waits for a later time, and is not true any more, is left out. */
export const resolveAlert = async (tx: Queryable, id: string, now: number): Promise<ResolvedAlert | undefined> =>
  (await tx.query<ResolvedAlert>(resolveStatement, [id, now]))[0];

const insertMessagesStatement = sql(
  'insert_alert_messages',
  `insert into alert_messages (id, alert_id, channel_id, user_id, kind, is_held, due_at)
   select n.id, $2, c.id, $1, $4, $6, to_timestamp($5::double precision / 1000)
   from unnest($3::uuid[], $7::uuid[]) as n (channel_id, id) join alert_channels c on c.id = n.channel_id and c.user_id = $1
   where $4 <> 'reminder' or not exists (
     select from alert_messages m where m.alert_id = $2 and m.channel_id = c.id and m.status = 'pending'
   ) for key share of c`,
);

export interface NewMessages {
  alertId: string;
  channelIds: readonly string[];
  kind: AlertMessageKind;
  dueAt: number;
  isHeld: boolean;
}

/** Writes a message for each channel. A channel to which one still waits gets no reminder. */
export const insertMessages = async (
  tx: Queryable,
  userId: string,
  { alertId, channelIds, kind, dueAt, isHeld }: NewMessages,
  createId: () => string,
): Promise<void> => {
  if (channelIds.length === 0) return;
  const ids = channelIds.map(createId);
  await tx.query(insertMessagesStatement, [userId, alertId, channelIds, kind, dueAt, isHeld, ids]);
};
