/** Rules as their owners see and change them. */
import type { AlertRule } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

const columns = `id, name, "when", for_minutes, remind_every_minutes, project_id, terminal_ids, channel_ids, quiet_hours,
  enabled, created_at, updated_at`;

const listStatement = sql(
  'list_alert_rules',
  `select ${columns} from alert_rules where user_id = $1 and id > $2 order by id limit $3`,
);

/** The user's rules, oldest first. @param after the id of the last one that was seen */
export const listRules = (db: Queryable, userId: string, after: string, limit: number): Promise<AlertRule[]> =>
  db.query(listStatement, [userId, after, limit]);

const findStatement = sql('find_alert_rule', `select ${columns} from alert_rules where user_id = $1 and id = $2`);

export const findRule = async (db: Queryable, userId: string, id: string): Promise<AlertRule | undefined> =>
  (await db.query<AlertRule>(findStatement, [userId, id]))[0];

const lockStatement = sql(
  'lock_alert_rule',
  `select ${columns} from alert_rules where user_id = $1 and id = $2 for no key update`,
);

export const lockRule = async (tx: Queryable, userId: string, id: string): Promise<AlertRule | undefined> =>
  (await tx.query<AlertRule>(lockStatement, [userId, id]))[0];

const lockUserStatement = sql('lock_user_for_alert_rule', `select id from users where id = $1 for no key update`);
const countStatement = sql('count_alert_rules', `select count(*) as total from alert_rules where user_id = $1`);

/** Counts a user's rules; until the transaction ends, nobody else can create one for the user. */
export const countRulesLocked = async (tx: Queryable, userId: string): Promise<number> => {
  await tx.query(lockUserStatement, [userId]);
  return (await tx.query<{ total: number }>(countStatement, [userId]))[0]?.total ?? 0;
};

export type RuleSettings = Omit<AlertRule, 'id' | 'created_at' | 'updated_at'>;

const toValues = (settings: RuleSettings): unknown[] => [
  settings.name,
  settings.when,
  settings.for_minutes,
  settings.remind_every_minutes,
  settings.project_id,
  settings.terminal_ids,
  settings.channel_ids,
  settings.quiet_hours && JSON.stringify(settings.quiet_hours),
  settings.enabled,
];

const insertStatement = sql(
  'insert_alert_rule',
  `insert into alert_rules (user_id, id, name, "when", for_minutes, remind_every_minutes, project_id, terminal_ids, channel_ids,
     quiet_hours, enabled)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning ${columns}`,
);

export const insertRule = async (
  tx: Queryable,
  userId: string,
  id: string,
  settings: RuleSettings,
): Promise<AlertRule> => (await tx.query<AlertRule>(insertStatement, [userId, id, ...toValues(settings)]))[0]!;

const writeStatement = sql(
  'write_alert_rule',
  `update alert_rules set name = $3, "when" = $4, for_minutes = $5, remind_every_minutes = $6, project_id = $7, terminal_ids = $8,
     channel_ids = $9, quiet_hours = $10, enabled = $11, updated_at = now()
   where user_id = $1 and id = $2 returning ${columns}`,
);

/** Writes a rule that the transaction has locked. */
export const writeRule = async (
  tx: Queryable,
  userId: string,
  id: string,
  settings: RuleSettings,
): Promise<AlertRule> => (await tx.query<AlertRule>(writeStatement, [userId, id, ...toValues(settings)]))[0]!;

const endStatement = sql(
  'end_alerts_of_rule',
  `with ended as (
     update alerts set resolved_at = now() where user_id = $1 and rule_id = $2 and resolved_at is null returning id
   ), left_out as (
     update alert_messages set status = 'skipped', error = 'The rule was changed or deleted before this could be sent.'
     where alert_id in (select id from ended) and status = 'pending'
   )
   delete from alert_subjects where rule_id = (select id from alert_rules where user_id = $1 and id = $2)`,
);

/** Ends the open alerts of a rule without a message, and forgets what it was looking at. */
export const endAlertsOfRule = async (tx: Queryable, userId: string, id: string): Promise<void> => {
  await tx.query(endStatement, [userId, id]);
};

const deleteStatement = sql('delete_alert_rule', `delete from alert_rules where user_id = $1 and id = $2 returning id`);

/** @returns whether there was one */
export const deleteRule = async (tx: Queryable, userId: string, id: string): Promise<boolean> =>
  (await tx.query(deleteStatement, [userId, id])).length > 0;

const holdProjectStatement = sql(
  'hold_project_of_alert_rule',
  `select id from projects where user_id = $1 and id = $2 for key share`,
);

/** Whether the user has the project, which stays until the transaction ends. */
export const holdProject = async (tx: Queryable, userId: string, id: string): Promise<boolean> =>
  (await tx.query(holdProjectStatement, [userId, id])).length > 0;

const knownStatement = sql(
  'find_parts_of_alert_rule',
  `select array(select id from terminals where user_id = $1 and id = any($2::uuid[]) and deleted_at is null) as terminal_ids,
     array(select id from alert_channels where user_id = $1 and id = any($3::uuid[])) as channel_ids`,
);

export interface KnownParts {
  terminal_ids: string[];
  channel_ids: string[];
}

/** Which of the things that a rule names the user has. */
export const findKnownParts = async (
  tx: Queryable,
  userId: string,
  { terminal_ids, channel_ids }: Pick<RuleSettings, 'terminal_ids' | 'channel_ids'>,
): Promise<KnownParts> => (await tx.query<KnownParts>(knownStatement, [userId, terminal_ids ?? [], channel_ids]))[0]!;

const wakeStatement = sql('wake_alerts', `insert into alert_wakes (user_id) values ($1)`);

/** The user's alerts are looked at soon. */
export const wakeAlerts = async (tx: Queryable, userId: string): Promise<void> => {
  await tx.query(wakeStatement, [userId]);
};
