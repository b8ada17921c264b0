/** Breaches of risk rules and warnings, as hosts report them and owners read them. */
import type { ReportedBreach, ReportedWarning, RiskAction, RiskBreach, RiskKind } from '@berth/contract';
import { isWithin } from '../db/clock.ts';
import { sql, type Queryable } from '../db/database.ts';

/**
 * A host says what happens to its terminals: it can make up no more than this of each, and the rest is dropped. That is
 * far more than rules lead to.
 */
const MAX_PER_HOUR = 60;

const columns = `id, rule_id, rule_name, rule_version, kind, terminal_id, terminal_name, at, decided_at, value, limit_at as limit,
  first_order_ms, closed, total, left_open, experts, actions, ended_at,
  case when ended_at is null then coalesce(phase, 'acting') else 'ended' end as phase`;

const listStatement = sql(
  'list_risk_breaches',
  `select ${columns} from risk_breaches
   where user_id = $1 and ($3::uuid is null or terminal_id = $3) and ($4::uuid is null or rule_id = $4)
     and ($2::uuid is null or (at, id) < (select b.at, b.id from risk_breaches b where b.id = $2 and b.user_id = $1))
   order by at desc, id desc limit $5`,
);

export interface BreachFilter {
  /** The id of the last one that was seen. */
  after: string | null;
  terminalId: string | null;
  ruleId: string | null;
  limit: number;
}

/** The user's breaches, newest first. */
export const listRiskBreaches = (
  db: Queryable,
  userId: string,
  { after, terminalId, ruleId, limit }: BreachFilter,
): Promise<RiskBreach[]> => db.query(listStatement, [userId, after, terminalId, ruleId, limit]);

/** A breach as it was last reported. */
export interface KnownBreach {
  id: string;
  user_id: string;
  rule_name: string;
  rule_actions: RiskAction[];
  terminal_id: string;
  host_id: string;
  actions: RiskBreach['actions'];
  locked_at: string | null;
  ended_at: string | null;
}

const lockStatement = sql(
  'lock_risk_breach',
  `select id, user_id, rule_name, rule_actions, terminal_id, host_id, actions, locked_at, ended_at
   from risk_breaches where id = $1 for update`,
);

/** Nobody else changes it until the transaction ends. */
export const lockBreach = async (tx: Queryable, id: string): Promise<KnownBreach | undefined> =>
  (await tx.query<KnownBreach>(lockStatement, [id]))[0];

const HOUR = `interval '1 hour'`;

const insertStatement = sql(
  'insert_risk_breach',
  `insert into risk_breaches (id, user_id, rule_id, rule_name, rule_version, kind, rule_actions, terminal_id, terminal_name,
     host_id, decided_at, value, limit_at, closed, total, left_open, actions)
   select $1, r.user_id, r.id, coalesce(v.rule ->> 'name', r.name), v.version, r.kind,
     case when v.rule is null then r.actions else array(select json_array_elements_text(v.rule -> 'actions')) end, t.id, t.name,
     $2, to_timestamp($5::double precision / 1000), $6, $7, 0, 0, '[]', '[]'
   from terminals t join risk_rules r on r.user_id = t.user_id
     left join risk_rule_versions v on v.rule_id = r.id and v.version = $8 and v.rule is not null
   where t.id = $3 and t.host_id = $2 and t.deleted_at is null and r.id = $4
     and (select count(*) from risk_breaches b where b.terminal_id = t.id and ${isWithin('b.at', HOUR)}) < ${MAX_PER_HOUR}
   on conflict (id) do nothing
   returning id, user_id, rule_name, rule_actions, terminal_id, host_id, actions, locked_at, ended_at, kind, terminal_name`,
);

/**
 * What it has to do is what the rule asked for as its host decided it (`rule_version`): a rule that was loosened since then
 * undoes nothing. A host can name an earlier version of the rule, but none that its owner did not write.
 * @returns undefined where the host has no such terminal, its owner has and had no such rule, or it says too much
 */
export const insertBreach = async (
  tx: Queryable,
  hostId: string,
  { id, terminal_id, rule_id, decided_at, value, limit, rule_version: version }: ReportedBreach,
): Promise<(KnownBreach & { kind: RiskKind; terminal_name: string }) | undefined> => {
  const values = [id, hostId, terminal_id, rule_id, decided_at, value, limit, version ?? null];
  return (await tx.query<KnownBreach & { kind: RiskKind; terminal_name: string }>(insertStatement, values))[0];
};

const writeStatement = sql(
  'write_risk_breach',
  `update risk_breaches set first_order_ms = $3, closed = $4, total = $5, left_open = $6, actions = $7,
     locked_at = case when $8 then coalesce(locked_at, now()) else locked_at end,
     ended_at = case when $9 then now() end, phase = $10, experts = $11
   where id = $1 and host_id = $2 and ended_at is null`,
);

/** Writes how far its host has got. Nothing is written of one that has ended. */
export const writeBreach = async (
  tx: Queryable,
  hostId: string,
  report: ReportedBreach,
  { actions, isLocked }: { actions: RiskBreach['actions']; isLocked: boolean },
): Promise<void> => {
  const { id, first_order_ms, closed, total, left_open, has_ended, phase, experts } = report;
  await tx.query(writeStatement, [
    ...[id, hostId, first_order_ms, closed, total],
    ...[JSON.stringify(left_open), JSON.stringify(actions), isLocked, has_ended],
    ...[phase ?? null, experts ? JSON.stringify(experts) : null],
  ]);
};

const warnStatement = sql(
  'take_risk_warning',
  `with allowed as (
     select t.id, t.user_id, t.name, r.name as rule_name
     from terminals t join risk_rules r on r.user_id = t.user_id
     where t.id = $3 and t.host_id = $1 and t.deleted_at is null and r.id = $4 and r.deleted_at is null
       and (select count(*) from risk_warnings w where w.terminal_id = t.id and ${isWithin('w.taken_at', HOUR)})
         < ${MAX_PER_HOUR}
   ), taken as (
     insert into risk_warnings (id, terminal_id) select $2, id from allowed on conflict (id) do nothing returning id
   )
   select user_id, name, rule_name from allowed where exists (select from taken)`,
);

/** @returns undefined for one that was taken before, or that does not count */
export const takeWarning = async (
  tx: Queryable,
  hostId: string,
  { id, terminal_id, rule_id }: ReportedWarning,
): Promise<{ user_id: string; name: string; rule_name: string } | undefined> => {
  const values = [hostId, id, terminal_id, rule_id];
  return (await tx.query<{ user_id: string; name: string; rule_name: string }>(warnStatement, values))[0];
};
