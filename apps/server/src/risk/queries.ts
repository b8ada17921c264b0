/** Risk rules as their owners see and change them. */
import { toOrderedActions, type NewRiskRule, type RiskRule } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

/** SQL: what a kind compares with its limit where the rule does not say. */
export const measureOfKind = `case kind when 'profit_target' then 'balance' else 'equity' end`;

const columns = `id, name, terminal_ids, project_id, is_all as all, kind, amount, percent, percent_of,
  case when kind in ('max_volume', 'max_positions') then null else coalesce(measure, ${measureOfKind}) end as measure, basis,
  case kind when 'trailing_drawdown' then trail when 'daily_loss' then day_trail end as trail,
  case when trail_stops_at is not null then json_build_object('amount', trail_stops_at)
    when trail_stops_at_initial_plus is not null then json_build_object('initial_plus', trail_stops_at_initial_plus)
    end as trail_stops_at,
  cash_flows, buffer, currency, confirm_ms, lock_until, day_starts, time_zone, warn_percent, actions, enabled, version,
  created_at, updated_at`;

/** SQL: whether a rule `r` is for a terminal `t`. Nothing is for a rule without a scope. */
export const isForTerminal = `(r.user_id = t.user_id and r.deleted_at is null and t.deleted_at is null
  and (r.is_all or r.project_id = t.project_id or t.id = any(r.terminal_ids)))`;

const listStatement = sql(
  'list_risk_rules',
  `select ${columns} from risk_rules where user_id = $1 and id > $2 and deleted_at is null order by id limit $3`,
);

/** The user's rules, oldest first. @param after the id of the last one that was seen */
export const listRiskRules = (db: Queryable, userId: string, after: string, limit: number): Promise<RiskRule[]> =>
  db.query(listStatement, [userId, after, limit]);

const findStatement = sql(
  'find_risk_rule',
  `select ${columns} from risk_rules where user_id = $1 and id = $2 and deleted_at is null`,
);
const lockStatement = sql(
  'lock_risk_rule',
  `select ${columns} from risk_rules where user_id = $1 and id = $2 and deleted_at is null for no key update`,
);

export const findRiskRule = async (db: Queryable, userId: string, id: string): Promise<RiskRule | undefined> =>
  (await db.query<RiskRule>(findStatement, [userId, id]))[0];

/** Nobody else changes it until the transaction ends. */
export const lockRiskRule = async (tx: Queryable, userId: string, id: string): Promise<RiskRule | undefined> =>
  (await tx.query<RiskRule>(lockStatement, [userId, id]))[0];

const lockUserStatement = sql('lock_user_for_risk_rule', `select id from users where id = $1 for no key update`);
const countStatement = sql(
  'count_risk_rules',
  `select count(*) as total from risk_rules where user_id = $1 and deleted_at is null`,
);

/** Counts a user's rules; no other one of his is created until the transaction ends. */
export const countRiskRulesLocked = async (tx: Queryable, userId: string): Promise<number> => {
  await tx.query(lockUserStatement, [userId]);
  return (await tx.query<{ total: number }>(countStatement, [userId]))[0]?.total ?? 0;
};

const holdProjectStatement = sql(
  'hold_project_of_risk_rule',
  `select id from projects where user_id = $1 and id = $2 for key share`,
);

/** Whether the user has the project, which stays until the transaction ends. */
export const holdProject = async (tx: Queryable, userId: string, id: string): Promise<boolean> =>
  (await tx.query(holdProjectStatement, [userId, id])).length > 0;

const findTerminalsStatement = sql(
  'find_terminals_of_risk_rule',
  `select id from terminals where user_id = $1 and id = any($2::uuid[]) and deleted_at is null`,
);

/** Which of these terminals the user has. */
export const findOwnTerminals = async (db: Queryable, userId: string, ids: readonly string[]): Promise<Set<string>> => {
  const rows = await db.query<{ id: string }>(findTerminalsStatement, [userId, ids]);
  return new Set(rows.map(({ id }) => id));
};

/** A rule with nothing left out. */
export type RiskRuleSettings = Omit<RiskRule, 'id' | 'version' | 'created_at' | 'updated_at'>;

/** What a rule has that was not given. */
export const toRiskRuleSettings = (given: NewRiskRule): RiskRuleSettings => ({
  name: given.name,
  terminal_ids: given.terminal_ids ? [...new Set(given.terminal_ids.map((id) => id.toLowerCase()))] : null,
  project_id: given.project_id?.toLowerCase() ?? null,
  all: given.all ?? false,
  kind: given.kind,
  amount: given.amount ?? null,
  percent: given.percent ?? null,
  percent_of: given.percent_of ?? 'reference',
  measure: given.measure ?? null,
  basis: given.basis ?? 'balance',
  trail: given.trail ?? (given.kind === 'trailing_drawdown' ? 'equity' : null),
  trail_stops_at: given.trail_stops_at ?? null,
  cash_flows: given.cash_flows ?? 'adjust',
  buffer: given.buffer ?? '0',
  currency: given.currency ?? null,
  confirm_ms: given.confirm_ms ?? 0,
  lock_until: given.lock_until ?? 'unlocked',
  day_starts: given.day_starts ?? '00:00',
  time_zone: given.time_zone ?? 'UTC',
  warn_percent: given.warn_percent ?? 80,
  actions: toOrderedActions(given.actions),
  enabled: given.enabled ?? true,
});

/** What is no setting of the rule's own is not kept as one: an agent that knows none of them can apply the rule. */
const toOwnMeasure = ({ kind, measure }: RiskRuleSettings) =>
  measure === (kind === 'profit_target' ? 'balance' : 'equity') ? null : measure;

const toValues = (rule: RiskRuleSettings): unknown[] => [
  ...[rule.name, rule.terminal_ids, rule.project_id, rule.all, rule.amount, rule.percent, rule.percent_of],
  ...[toOwnMeasure(rule), rule.basis, rule.kind === 'trailing_drawdown' ? (rule.trail ?? 'equity') : 'equity'],
  ...[rule.kind === 'daily_loss' ? rule.trail : null, rule.trail_stops_at?.amount, rule.trail_stops_at?.initial_plus],
  ...[
    rule.cash_flows,
    /[1-9]/.test(rule.buffer) ? rule.buffer : '0',
    rule.currency,
    rule.confirm_ms,
    rule.lock_until,
    rule.day_starts,
    rule.time_zone,
    rule.warn_percent,
  ],
  ...[rule.actions, rule.enabled],
];
/** Whether both are kept as the same rule. */
export const isSameRule = (one: RiskRuleSettings, other: RiskRuleSettings): boolean =>
  JSON.stringify(toValues(one)) === JSON.stringify(toValues(other));

const settings = `name, terminal_ids, project_id, is_all, amount, percent, percent_of, measure, basis, trail, day_trail,
  trail_stops_at, trail_stops_at_initial_plus, cash_flows, buffer, currency, confirm_ms, lock_until, day_starts, time_zone,
  warn_percent, actions, enabled`;
/** The parameters of `settings`, from \`$first\` on. */
const toParameters = (first: number): string =>
  Array.from({ length: settings.split(',').length }, (_, index) => `$${first + index}`).join(', ');

const insertStatement = sql(
  'insert_risk_rule',
  `insert into risk_rules (id, user_id, kind, ${settings})
   values ($1, $2, $3, ${toParameters(4)}) returning ${columns}`,
);

export const insertRiskRule = async (
  tx: Queryable,
  { id, userId }: { id: string; userId: string },
  rule: RiskRuleSettings,
): Promise<RiskRule> => (await tx.query<RiskRule>(insertStatement, [id, userId, rule.kind, ...toValues(rule)]))[0]!;

const writeStatement = sql(
  'write_risk_rule',
  `update risk_rules set (${settings}, version, updated_at) = (${toParameters(3)}, version + 1, now())
   where id = $1 and user_id = $2 and deleted_at is null returning ${columns}`,
);

/** Writes all settings of a rule: its next version. */
export const writeRiskRule = async (
  tx: Queryable,
  { id, userId }: { id: string; userId: string },
  rule: RiskRuleSettings,
): Promise<RiskRule | undefined> => (await tx.query<RiskRule>(writeStatement, [id, userId, ...toValues(rule)]))[0];

const deleteStatement = sql(
  'delete_risk_rule',
  `with deleted as (
     update risk_rules set deleted_at = now(), enabled = false, terminal_ids = null, project_id = null, is_all = false,
       version = version + 1
     where id = $2 and user_id = $1 and deleted_at is null returning id, version
   ), forgotten as (
     delete from risk_states where rule_id = (select id from deleted)
   )
   select version from deleted`,
);

/** Deletes the user's rule and what it has measured. Its breaches stay. @returns its last version; undefined: there is none */
export const deleteRiskRule = async (db: Queryable, userId: string, id: string): Promise<number | undefined> =>
  (await db.query<{ version: number }>(deleteStatement, [userId, id]))[0]?.version;
