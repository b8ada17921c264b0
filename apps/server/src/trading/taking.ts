/**
 * Stores the states of accounts. Whatever hosts send, those that arrive together cost one statement; an account has one
 * row, which its states change in place. A minute that is over becomes a point of each step of the history when the first
 * state of the next one arrives: so it is written once, nothing is held in memory, and nothing has to be rolled up later.
 * Repeating that changes nothing, whichever server does it.
 *
 * Everything counts for the time at which it arrives, by the database's clock, whatever the hosts' clocks say.
 */
import {
  ACCOUNT_CURRENT_MS,
  historySteps,
  MAX_POSITIONS_BYTES,
  toBoundedPositions,
  withoutDirections,
  type AccountRefusal,
  type AccountState,
  type DealCursor,
  type HistoryStep,
  type ReportedAccount,
} from '@berth/contract';
import { Batcher } from '@berth/kit';
import { isSameLogin, isSameServer } from '../db/account-names.ts';
import { isWithin } from '../db/clock.ts';
import { isRefused, sql, type Queryable, type Store } from '../db/database.ts';
import type { Times } from '../times.ts';
import { historyTables, toStepStart } from './history.ts';

/** Calls of hosts that share a statement: a call is a megabyte at most. */
const MAX_CALLS_PER_BATCH = 16;

const CURRENT = `interval '${ACCOUNT_CURRENT_MS} milliseconds'`;
const MINUTE = toStepStart(60, 'now()');
const DAY = toStepStart(86400, 'now()');

/** The columns of a state, with the types of their arrays. */
const columns = {
  sequence: 'bigint',
  currency: 'text',
  currency_digits: 'smallint',
  leverage: 'integer',
  margin_mode: 'text',
  balance: 'numeric',
  credit: 'numeric',
  equity: 'numeric',
  profit: 'numeric',
  margin: 'numeric',
  free_margin: 'numeric',
  margin_level: 'numeric',
  trading_allowed: 'boolean',
  is_synchronized: 'boolean',
  positions_total: 'integer',
  orders_total: 'integer',
  positions: 'json',
  orders: 'json',
  last_deal: 'bigint',
  connected: 'boolean',
  tick_age_ms: 'bigint',
} as const satisfies Partial<Record<keyof AccountState, string>>;
const names = Object.keys(columns) as (keyof typeof columns)[];
const list = names.join(', ');

/** Where the placeholders of a state begin: host, terminal, login, server, age and the gap come first. */
const FIRST_COLUMN = 7;

/** Idempotent: lowest, highest and last are what they are. */
const toPoint = (step: HistoryStep): string => `${historyTables[step]}_written as (
     insert into ${historyTables[step]} as p (account_id, at, balance, equity_min, equity_max, equity, profit)
     select id, ${toStepStart(step, 'minute_at')}, old_balance, minute_min, minute_max, old_equity, old_profit from over
     on conflict (account_id, at) do update set balance = excluded.balance, equity = excluded.equity, profit = excluded.profit,
       equity_min = least(p.equity_min, excluded.equity_min), equity_max = greatest(p.equity_max, excluded.equity_max)
   )`;

const GAP = `$6 * interval '1 millisecond'`;

/**
 * Says one row for each state that was not taken, each account whose deals the server does not have, and each that somebody
 * watches: usually none. A sequence that begins anew is believed once the last state is not current any more: a terminal
 * was installed again, or its folder emptied.
 */
const takeStatement = sql(
  'take_account_states',
  `with given as materialized (
     select g.*, t.user_id, t.own_login, t.own_server, t.user_id is not null as is_here,
       coalesce(${isSameLogin('g.login', 't.own_login')} and ${isSameServer('g.server', 't.own_server')}, false) as is_own,
       now() - g.age_ms * interval '1 millisecond' as seen_at
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::integer[], ${names
       .map((name, index) => `$${FIRST_COLUMN + index}::${columns[name]}[]`)
       .join(', ')}) as g (host_id, terminal_id, login, server, age_ms, ${list})
     left join lateral (
       select user_id, login as own_login, server_name as own_server from terminals
       where id = g.terminal_id and host_id = g.host_id and deleted_at is null limit 1
     ) t on true
   ), known as materialized (
     select g.*, a.id, a.minute_at, a.minute_min, a.minute_max, a.balance as old_balance, a.equity as old_equity,
       a.profit as old_profit, coalesce(${isWithin('a.taken_at', GAP)}, false) as is_early,
       coalesce(a.host_id = g.host_id and g.sequence <= a.sequence and ${isWithin('a.seen_at', CURRENT)}, false) as is_old
     from given g
     cross join lateral (
       select id, host_id, taken_at, seen_at, sequence, minute_at, minute_min, minute_max, balance, equity, profit
       from trading_accounts where terminal_id = g.terminal_id and login = g.own_login and server_name = g.own_server limit 1
     ) a
     where g.is_own
   ), over as materialized (
     select * from known where minute_at <> ${MINUTE} and not is_early and not is_old
   ), ${historySteps.map(toPoint).join(', ')}, taken as (
     update trading_accounts a set
       host_id = k.host_id, taken_at = now(), seen_at = k.seen_at, ${names.map((name) => `${name} = k.${name}`).join(', ')},
       minute_at = ${MINUTE},
       minute_min = case when a.minute_at = ${MINUTE} then least(a.minute_min, k.equity) else k.equity end,
       minute_max = case when a.minute_at = ${MINUTE} then greatest(a.minute_max, k.equity) else k.equity end,
       day_at = ${DAY},
       -- What it had at midnight is what it was seen with last.
       day_first = case when a.day_at = ${DAY} then a.day_first when a.day_at = ${DAY} - interval '1 day' then a.equity
         else k.equity end,
       day_max = case when a.day_at = ${DAY} then greatest(a.day_max, k.equity)
         when a.day_at = ${DAY} - interval '1 day' then greatest(a.equity, k.equity) else k.equity end
     from known k
     where a.id = k.id and not k.is_early and not k.is_old and (a.taken_at is null or not (${isWithin('a.taken_at', GAP)}))
     returning a.terminal_id
   ), added as (
     insert into trading_accounts (terminal_id, login, server_name, host_id, taken_at, seen_at, ${list}, minute_at, minute_min,
       minute_max, day_at, day_first, day_max)
     select g.terminal_id, g.own_login, g.own_server, g.host_id, now(), g.seen_at, ${names.map((name) => `g.${name}`).join(', ')},
       ${MINUTE}, g.equity, g.equity, ${DAY}, g.equity, g.equity
     from given g left join known k on k.terminal_id = g.terminal_id and g.is_own
     where g.is_own and k.id is null
     on conflict (terminal_id, login, server_name) do nothing
   )
   select g.host_id, g.terminal_id, g.is_here, g.is_own, k.is_early, k.is_old,
     g.is_own and g.last_deal is distinct from c.last_ticket as lacks_deals, c.last_ticket::text, c.complete_until,
     w.is_watched, g.user_id
   from given g
   left join known k on k.terminal_id = g.terminal_id and g.is_own
   left join lateral (select last_ticket, complete_until from deal_cursors where account_id = k.id limit 1) c on true
   left join lateral (
     select true as is_watched from event_watchers where user_id = g.user_id and g.is_own limit 1
   ) w on true
   where not g.is_own or k.is_early or k.is_old or g.last_deal is distinct from c.last_ticket or w.is_watched`,
);

/** What a host sent in one call. */
interface HostStates {
  hostId: string;
  reported: readonly (ReportedAccount & { state: AccountState })[];
}

/** What came of it. */
export interface TakenStates {
  tooSoon: string[];
  refused: { terminal_id: string; reason: AccountRefusal }[];
  cursors: DealCursor[];
  /** Those that somebody watches. */
  watched: { userId: string; reported: ReportedAccount & { state: AccountState } }[];
}

interface Row {
  host_id: string;
  terminal_id: string;
  is_here: boolean;
  is_own: boolean;
  is_early: boolean | null;
  is_old: boolean | null;
  lacks_deals: boolean;
  last_ticket: string | null;
  complete_until: string | null;
  is_watched: boolean | null;
  user_id: string;
}

type Reported = HostStates['reported'][number];

/** One state of each terminal, the last, in the same order in all batches, so that they do not deadlock. */
const toStates = (batch: readonly HostStates[]): { hostId: string; each: Reported }[] => {
  const states = new Map<string, { hostId: string; each: Reported }>();
  for (const { hostId, reported } of batch) {
    for (const each of reported) states.set(`${each.terminal_id.toLowerCase()} ${hostId}`, { hostId, each });
  }
  return [...states].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, state]) => state);
};

/**
 * Positions and orders as JSON. Nearly all are so short that they need no cutting: UTF-8 takes at most three bytes for a unit
 * of UTF-16, and their schema has checked that each text is one line.
 */
const toTexts = ({ positions, orders }: AccountState): { positions: string; orders: string } => {
  const texts = { positions: JSON.stringify(positions), orders: JSON.stringify(orders) };
  if ((texts.positions.length + texts.orders.length) * 3 <= MAX_POSITIONS_BYTES)
    return { positions: withoutDirections(texts.positions), orders: withoutDirections(texts.orders) };
  const held = toBoundedPositions(positions, orders);
  return { positions: JSON.stringify(held.positions), orders: JSON.stringify(held.orders) };
};

const escaped: ReadonlySet<string> = new Set(['text', 'json']);

/**
 * The values of a column as an array of PostgreSQL. Numbers, amounts and booleans are written here, where their schema leaves
 * nothing to escape: the library takes ten times as long.
 */
const toColumn = (states: readonly AccountState[], name: Exclude<keyof typeof columns, 'positions' | 'orders'>) =>
  escaped.has(columns[name])
    ? states.map((state) => state[name])
    : `{${states.map((state) => state[name] ?? 'null').join()}}`;

const refuse = (row: Row): AccountRefusal | undefined =>
  !row.is_here ? 'not_here' : !row.is_own ? 'other_account' : row.is_old && !row.is_early ? 'old_sequence' : undefined;

const toTaken = (rows: readonly Row[], states: () => ReadonlyMap<string, Reported>): TakenStates => {
  const taken: TakenStates = { tooSoon: [], refused: [], cursors: [], watched: [] };
  for (const row of rows) {
    const { terminal_id, last_ticket, complete_until } = row;
    const reason = refuse(row);
    if (row.is_early) taken.tooSoon.push(terminal_id);
    else if (reason) taken.refused.push({ terminal_id, reason });
    else if (row.is_watched) taken.watched.push({ userId: row.user_id, reported: states().get(terminal_id)! });
    if (row.lacks_deals) taken.cursors.push({ terminal_id, last_ticket, complete_until });
  }
  return taken;
};

const take = async (db: Queryable, batch: readonly HostStates[], gapMs: number): Promise<TakenStates[]> => {
  const rows = toStates(batch);
  const states = rows.map(({ each }) => each.state);
  const texts = states.map(toTexts);
  const found = await db.query<Row>(takeStatement, [
    rows.map(({ hostId }) => hostId),
    rows.map(({ each }) => each.terminal_id),
    rows.map(({ each }) => each.login),
    rows.map(({ each }) => each.server),
    states.map((state) => state.age_ms),
    gapMs,
    ...names.map((name) =>
      name === 'positions' || name === 'orders' ? texts.map((text) => text[name]) : toColumn(states, name),
    ),
  ]);
  const byHost = new Map<string, Row[]>();
  for (const row of found) {
    const rowsOfHost = byHost.get(row.host_id);
    if (rowsOfHost) rowsOfHost.push(row);
    else byHost.set(row.host_id, [row]);
  }
  return batch.map(({ hostId, reported }) => {
    // Only where somebody watches.
    let states: ReadonlyMap<string, Reported> | undefined;
    const toMap = () => (states ??= new Map(reported.map((each) => [each.terminal_id.toLowerCase(), each])));
    return toTaken(byHost.get(hostId) ?? [], toMap);
  });
};

/** Stores states of all hosts; calls that arrive together share a statement. */
export class AccountTaking {
  readonly #batcher: Batcher<HostStates, TakenStates>;

  constructor(db: Store, { accountGapMs }: Times) {
    // What a crash of the database loses here is reported again a second later.
    const writes = db.createWritePipeline('asyncCommit');
    this.#batcher = new Batcher((batch) => take(writes, batch, accountGapMs), {
      maxItems: MAX_CALLS_PER_BATCH,
      isSplit: isRefused,
    });
  }

  add(states: HostStates): Promise<TakenStates> {
    return this.#batcher.add(states);
  }
}
