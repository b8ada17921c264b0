/**
 * What rules have measured at terminals: as their hosts reported it last. A report counts for terminals on the host
 * itself, and rules of their owner; what else a host says is passed over.
 */
import type { GuardedTerminal, GuardRule, ReportedRiskState, RiskMarks, RiskState } from '@berth/contract';
import { HostStatus } from '@berth/contract';
import { isWithin } from '../db/clock.ts';
import { sql, type Queryable } from '../db/database.ts';
import { findRiskVersions, noteKnownSettings } from '../hosts/risk-versions.ts';
import { listInitialBalances } from '../trading/initial-balances.ts';
import { isForTerminal, measureOfKind } from './queries.ts';

/** Hosts repeat what is unchanged every 30 seconds. */
const WATCHED_SECONDS = 90;

const takeStatement = sql(
  'take_risk_states',
  `with given as materialized (
     select distinct on (rule_id, terminal_id) *
     from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::double precision[], $9::text[],
       $10::boolean[], $11::text[])
       with ordinality as g (terminal_id, rule_id, used, limit_at, warn_at, blind, as_of, marks, can_act, denials, place)
     order by rule_id, terminal_id, place desc
   )
   insert into risk_states as s (rule_id, terminal_id, host_id, used, limit_at, warn_at, blind, as_of, marks, can_act,
     trade_denied_by)
   select g.rule_id, g.terminal_id, $1, g.used, g.limit_at, g.warn_at, g.blind, to_timestamp(g.as_of / 1000), g.marks::json,
     g.can_act, string_to_array(g.denials, ',')
   from given g join terminals t on t.id = g.terminal_id join risk_rules r on r.id = g.rule_id
   where t.host_id = $1 and ${isForTerminal}
   order by g.rule_id, g.terminal_id
   on conflict (rule_id, terminal_id) do update set host_id = excluded.host_id, used = excluded.used,
     limit_at = excluded.limit_at, warn_at = excluded.warn_at, blind = excluded.blind, as_of = excluded.as_of,
     marks = coalesce(excluded.marks, s.marks), can_act = excluded.can_act, trade_denied_by = excluded.trade_denied_by,
     reported_at = now()`,
);

export const takeRiskStates = async (
  db: Queryable,
  hostId: string,
  states: readonly ReportedRiskState[],
): Promise<void> => {
  if (states.length === 0) return;
  await db.query(takeStatement, [
    hostId,
    states.map((state) => state.terminal_id),
    states.map((state) => state.rule_id),
    states.map((state) => state.used),
    states.map((state) => state.limit),
    states.map((state) => state.warn_at),
    states.map((state) => state.blind),
    states.map((state) => state.as_of),
    states.map((state) => (state.marks ? JSON.stringify(state.marks) : null)),
    states.map((state) => state.can_act ?? null),
    states.map((state) => state.trade_denied_by?.join(',') ?? null),
  ]);
};

const stateColumns = `t.id as terminal_id, r.id as rule_id, s.used, s.limit_at as limit, s.warn_at,
     (select day ->> 'value' from json_array_elements(s.marks -> 'days') with ordinality as d (day, place)
      order by place desc limit 1) as day_start,
     s.marks ->> 'start' as start, s.marks ->> 'high_water' as high_water,
     case when r.kind = 'daily_loss' then (select day ->> 'source' from json_array_elements(s.marks -> 'days')
       with ordinality as d (day, place) order by place desc limit 1) else s.marks ->> 'source' end as mark_source,
     case when s.blind = 'other_currency' then false when s.marks is not null then true end as currency_ok,
     coalesce(r.enabled and s.blind is null and s.marks is not null and s.host_id = t.host_id
       and h.status = ${HostStatus.ONLINE} and ${isWithin('s.reported_at', `interval '${WATCHED_SECONDS} seconds'`)}, false) as is_watched,
     s.blind,
     coalesce(s.marks ->> 'breach_id',
       (select day ->> 'breach_id' from json_array_elements(s.marks -> 'days') with ordinality as d (day, place)
        where r.kind = 'daily_loss' order by place desc limit 1)) as breach_id,
     s.can_act, s.trade_denied_by, s.as_of`;
const ruledTerminals = `risk_rules r join terminals t on ${isForTerminal}
     left join risk_states s on s.rule_id = r.id and s.terminal_id = t.id
     left join hosts h on h.id = t.host_id`;

const listStatement = sql(
  'list_risk_states',
  `select ${stateColumns} from ${ruledTerminals}
   where r.user_id = $1 and r.id = $2 and t.id > $3 order by t.id limit $4`,
);

/** How the user's rule fares at its terminals, by their ids. @param after the last one that was seen */
export const listRiskStates = (
  db: Queryable,
  { userId, ruleId, after, limit }: { userId: string; ruleId: string; after: string; limit: number },
): Promise<RiskState[]> => db.query(listStatement, [userId, ruleId, after, limit]);

const ofTerminalsStatement = sql(
  'list_risk_states_of_terminals',
  `select ${stateColumns} from ${ruledTerminals} where t.id = any($1::uuid[]) order by t.id, r.id`,
);

/** How the rules of terminals fare, by terminal. The caller knows that they are the user's. */
export const findRiskStates = async (
  db: Queryable,
  terminalIds: readonly string[],
): Promise<ReadonlyMap<string, RiskState[]>> => {
  const states = new Map<string, RiskState[]>(terminalIds.map((id) => [id, []]));
  if (terminalIds.length === 0) return states;
  const rows = await db.query<RiskState>(ofTerminalsStatement, [terminalIds]);
  for (const row of rows) states.get(row.terminal_id)?.push(row);
  return states;
};

const pairsStatement = sql(
  'list_guarded_terminals',
  `select t.id as terminal_id, t.login, t.server_name as server, r.id as rule_id, s.marks, s.reset_breach_id as reset
   from (select * from terminals where host_id = $1 and deleted_at is null offset 0) t join risk_rules r on r.enabled and ${isForTerminal}
     left join risk_states s on s.rule_id = r.id and s.terminal_id = t.id
   order by t.id, r.id`,
);
/** With the number of `RULE_SETTINGS` that an agent needs for each. */
const rulesStatement = sql(
  'list_guard_rules',
  `select id, kind, amount, percent::text as percent, percent_of, coalesce(measure, ${measureOfKind}) as measure, basis, trail, day_trail,
     trail_stops_at, trail_stops_at_initial_plus, cash_flows, buffer, currency, confirm_ms, day_starts, time_zone, warn_percent,
     actions, version,
     case when confirm_ms > 0 then 3 when percent_of <> 'reference' or measure is not null or day_trail is not null or trail = 'balance'
       or trail_stops_at_initial_plus is not null or cash_flows <> 'adjust' or buffer <> '0' or currency is not null
       then 2 else 1 end as settings
   from risk_rules where id = any($1::uuid[]) order by id`,
);
/** What an older agent would apply without some of its settings, it does not get at all. */
const unappliedStatement = sql(
  'note_unapplied_risk_rules',
  `insert into risk_states as s (rule_id, terminal_id, host_id, blind)
   select r.id, t.id, $1, 'agent_too_old'
   from (select * from terminals where host_id = $1 and deleted_at is null offset 0) t
     join risk_rules r on r.id = any($2::uuid[]) and ${isForTerminal}
   order by r.id, t.id
   on conflict (rule_id, terminal_id) do update set host_id = excluded.host_id, blind = excluded.blind, reported_at = now()`,
);
/** Breaches that another host began, and will never end: this one begins anew. */
const foreignStatement = sql(
  'list_foreign_breaches',
  `select id from risk_breaches where terminal_id = any($2::uuid[]) and host_id <> $1 and ended_at is null`,
);

/** Breaches whose lock was taken back, and that their host may still hold: open ones, and those in marks. */
const releasedStatement = sql(
  'list_released_breaches',
  `select id, terminal_id from risk_breaches
   where terminal_id = any($1::uuid[]) and released_at is not null and (ended_at is null or id = any($2::uuid[]))`,
);

interface Pair {
  terminal_id: string;
  login: string;
  server: string;
  rule_id: string;
  marks: RiskMarks | null;
  reset: string | null;
}

const listBreaches = ({ breach_id, days }: RiskMarks): string[] =>
  [breach_id, ...days.map((day) => day.breach_id)].filter((id) => id !== null);

const withoutBreaches = (marks: RiskMarks, ids: ReadonlySet<string>): RiskMarks => {
  const keep = (id: string | null) => (id !== null && ids.has(id) ? null : id);
  return {
    ...marks,
    breach_id: keep(marks.breach_id),
    days: marks.days.map((day) => ({ ...day, breach_id: keep(day.breach_id) })),
  };
};

/**
 * The rules of the terminals on a host. The version is read first: what changes meanwhile is read again.
 * @param knownSettings which settings its agent applies
 */
export const readGuardRules = async (
  db: Queryable,
  hostId: string,
  knownSettings: number,
): Promise<{ risk_version: number; rules: GuardRule[]; terminals: GuardedTerminal[] }> => {
  await noteKnownSettings(db, hostId, knownSettings);
  const version = (await findRiskVersions(db, [hostId])).get(hostId) ?? 0;
  const pairs = await db.query<Pair>(pairsStatement, [hostId]);
  const found = await db.query<GuardRule & { settings: number }>(rulesStatement, [
    [...new Set(pairs.map(({ rule_id: id }) => id))],
  ]);
  const rules = found.filter(({ settings }) => settings <= knownSettings).map(({ settings: _, ...rule }) => rule);
  const unapplied = found.filter(({ settings }) => settings > knownSettings).map(({ id }) => id);
  if (unapplied.length > 0) await db.query(unappliedStatement, [hostId, unapplied]);
  const terminalIds = [...new Set(pairs.map(({ terminal_id: id }) => id))];
  const initialBalances = await listInitialBalances(db, hostId, terminalIds);
  const foreign = await db.query<{ id: string }>(foreignStatement, [hostId, terminalIds]);
  const breaches = new Set(foreign.map(({ id }) => id));
  const standing = pairs.flatMap(({ marks }) => (marks ? listBreaches(marks) : []));
  const released = await db.query<{ id: string; terminal_id: string }>(releasedStatement, [terminalIds, standing]);
  const indexes = new Map(rules.map(({ id }, index) => [id, index]));
  const terminals = new Map<string, GuardedTerminal>();
  for (const { terminal_id, login, server, rule_id, marks, reset } of pairs) {
    const index = indexes.get(rule_id);
    if (index === undefined) continue;
    const terminal = terminals.get(terminal_id) ?? {
      ...{ terminal_id, login, server, initial_balance: initialBalances.get(terminal_id) ?? null, rules: [] },
      released: released.filter((breach) => breach.terminal_id === terminal_id).map(({ id }) => id),
    };
    terminal.rules.push({
      index,
      ...(marks ? { marks: withoutBreaches(marks, breaches) } : {}),
      ...(reset === null ? {} : { reset }),
    });
    terminals.set(terminal_id, terminal);
  }
  return { risk_version: version, rules, terminals: [...terminals.values()] };
};
