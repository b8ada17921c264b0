/** What the server itself knows of a breach: its rule, its terminal and host, and the deals around it. */
import type { RiskAction, RiskBreach } from '@berth/contract';
import { findDay } from '@berth/risk';
import { sql, type Queryable } from '../../db/database.ts';
import { listRuleVersions, type RuleVersion } from '../rule-versions.ts';

/** The most that one export has. */
const MAX_DEALS = 500;

/** A breach, and what it is about. */
export interface BreachFacts extends Pick<
  RiskBreach,
  'id' | 'rule_id' | 'rule_name' | 'kind' | 'terminal_id' | 'terminal_name' | 'at' | 'decided_at' | 'value' | 'limit'
> {
  user_id: string;
  host_id: string;
  rule_actions: RiskAction[];
  first_order_ms: number | null;
  closed: number;
  total: number;
  left_open: RiskBreach['left_open'];
  actions: RiskBreach['actions'];
  experts: RiskBreach['experts'];
  phase: RiskBreach['phase'];
  ended_at: string | null;
  rule_version: number | null;
  released_at: string | null;
  /** Who took its lock back, and why; null: nobody did, or a server of before does not say. */
  release: object | null;
  /** Of the rule; null where it is gone. */
  time_zone: string | null;
  day_starts: string | null;
  platform: string | null;
  login: string | null;
  server: string | null;
  agent_version: string | null;
}

const factsStatement = sql(
  'find_breach_facts',
  `select b.id, b.user_id, b.rule_id, b.rule_name, b.kind, b.rule_actions, b.terminal_id, b.terminal_name, b.host_id, b.at,
     b.decided_at, b.value, b.limit_at as limit, b.first_order_ms, b.closed, b.total, b.left_open, b.actions, b.experts,
     case when b.ended_at is null then coalesce(b.phase, 'acting') else 'ended' end as phase, b.ended_at, b.released_at,
     b.rule_version, b.release, coalesce(v.rule ->> 'time_zone', r.time_zone) as time_zone,
     coalesce(v.rule ->> 'day_starts', r.day_starts) as day_starts,
     t.platform, t.login, t.server_name as server, h.agent_version
   from risk_breaches b
     left join risk_rules r on r.id = b.rule_id
     left join risk_rule_versions v on v.rule_id = r.id and v.version = b.rule_version
     left join terminals t on t.id = b.terminal_id
     left join hosts h on h.id = b.host_id
   where b.id = $1 and b.user_id = $2`,
);

/** A breach, and its rule as it was over time. */
export interface KnownFacts {
  facts: BreachFacts;
  versions: RuleVersion[];
  /** When the rule's day began. */
  dayAt: Date;
}

export const findBreachFacts = async (
  db: Queryable,
  userId: string,
  breachId: string,
): Promise<KnownFacts | undefined> => {
  const [facts] = await db.query<BreachFacts>(factsStatement, [breachId, userId]);
  if (!facts) return undefined;
  const { decided_at, day_starts, time_zone } = facts;
  const day = { day_starts: day_starts ?? '00:00', time_zone: time_zone ?? 'UTC' };
  const dayAt = new Date(findDay(day, Date.parse(decided_at)).fromMs);
  return { facts, dayAt, versions: await listRuleVersions(db, userId, facts.rule_id) };
};

/** A deal of the breach's terminal. */
export interface EvidenceDeal {
  at: string;
  is_cash: boolean;
  deal: Record<string, unknown>;
}

/**
 * Cash since the day began, and every deal since the decision. The clocks of brokers are a few seconds off. Of all accounts of the terminal: which one it was
 * logged in to is in what the host says.
 */
const dealsStatement = sql(
  'list_breach_deals',
  `select d.at, d.side not in ('buy', 'sell') as is_cash,
     json_build_object('ticket', d.ticket::text, 'order', d.order_ticket::text, 'position_id', d.position_id::text,
       'login', a.login, 'symbol', d.symbol, 'side', d.side, 'entry', d.entry, 'volume', d.volume::text,
       'price', d.price::text, 'commission', d.commission::text, 'swap', d.swap::text, 'profit', d.profit::text,
       'fee', d.fee::text, 'type', d.type, 'out_by', d.out_by, 'magic', d.magic, 'comment', d.comment) as deal
   from risk_breaches b join trading_accounts a on a.terminal_id = b.terminal_id
     join deals d on d.account_id = a.id
   where b.id = $1 and b.user_id = $2 and d.at >= $3 and d.at <= $4
     and (d.side not in ('buy', 'sell') or d.at >= b.decided_at - interval '5 seconds')
   order by d.at, a.id, d.ticket limit ${MAX_DEALS + 1}`,
);

/** @returns the first deals, and whether there are more */
export const listBreachDeals = async (
  db: Queryable,
  { id, user_id: userId }: BreachFacts,
  { from, to }: { from: Date; to: Date },
): Promise<{ deals: EvidenceDeal[]; isCut: boolean }> => {
  const rows = await db.query<EvidenceDeal>(dealsStatement, [id, userId, from.toISOString(), to.toISOString()]);
  return { deals: rows.slice(0, MAX_DEALS), isCut: rows.length > MAX_DEALS };
};
