/** The accounts of a user: of each terminal the one that it is logged in to now. */
import {
  ACCOUNT_CURRENT_MS,
  TerminalStatus,
  type AccountOverview,
  type AccountTotals,
  type TradingAccount,
} from '@berth/contract';
import { toLoginKey } from '../db/account-names.ts';
import { sql, type Queryable } from '../db/database.ts';
import { initialBalanceColumns, initialBalanceJoins } from './initial-balances.ts';

/** As PostgreSQL writes them: none of them ever becomes a float. */
const amounts = (names: readonly string[]): string => names.map((name) => `a.${name}::text`).join(', ');

/** SQL: by the database's clock; a time that is to come, of a clock that was set back, proves nothing either. */
const CURRENT = `(a.seen_at between now() - interval '${ACCOUNT_CURRENT_MS} milliseconds'
     and now() + interval '${ACCOUNT_CURRENT_MS} milliseconds' and a.host_id = t.host_id and t.status = ${TerminalStatus.ACTIVE}
     and a.is_synchronized)`;

const ofTerminal = (columns: string): string => `cross join lateral (
       select ${columns} from trading_accounts
       where terminal_id = t.id and login = t.login and server_name = t.server_name and taken_at is not null limit 1
     ) a`;

const findStatement = sql(
  'find_trading_account',
  `select a.seen_at, coalesce(${CURRENT}, false) as is_current, t.login, t.server_name as server, a.currency, a.currency_digits,
     a.leverage, a.margin_mode, ${amounts(['balance', 'credit', 'equity', 'profit', 'margin', 'free_margin', 'margin_level'])},
     a.trading_allowed, a.is_synchronized, a.positions_total, a.orders_total, a.connected,
     a.is_synchronized as synchronized, a.seen_at - a.tick_age_ms * interval '1 millisecond' as last_tick_at,
     ${initialBalanceColumns}, a.positions, a.orders
   from terminals t left join lateral (
     select * from trading_accounts
     where terminal_id = t.id and login = t.login and server_name = t.server_name and taken_at is not null limit 1
   ) a on true
   ${initialBalanceJoins}
   where t.id = $1 and t.user_id = $2 and t.deleted_at is null`,
);

/** Undefined where the user has no such terminal; null where nothing was reported of its account. */
export const findTradingAccount = async (
  db: Queryable,
  userId: string,
  terminalId: string,
): Promise<TradingAccount | null | undefined> => {
  const [row] = await db.query<TradingAccount & { seen_at: string | null }>(findStatement, [terminalId, userId]);
  return row && row.seen_at === null ? null : row;
};

const overviewColumns = `seen_at, host_id, is_synchronized, currency, currency_digits, balance, equity, profit, day_at, day_first,
       day_max, positions_total`;

/** Since midnight UTC; before the first state of a day nothing happened in it. */
const isToday = `a.day_at = date_bin('1 day', now(), timestamptz 'epoch')`;
const resultToday = `(case when ${isToday} then a.equity - a.day_first else a.equity - a.equity end)`;

/** Of the terminals that match, by their id; then those of one page. */
const overviewStatement = sql(
  'list_accounts_overview',
  `select t.id as terminal_id, t.project_id, t.login, t.server_name as server, a.seen_at, coalesce(${CURRENT}, false) as is_current,
     a.currency, a.currency_digits, ${amounts(['balance', 'equity', 'profit'])}, ${resultToday}::text as result_today,
     (case when ${isToday} and a.day_max > 0 then round(100 * greatest(0, a.day_max - a.equity) / a.day_max, 2) else 0 end)
       as drawdown_today_percent,
     a.positions_total as positions
   from terminals t ${ofTerminal(overviewColumns)}
   where t.user_id = $1 and t.deleted_at is null and ($2::uuid[] is null or t.id = any($2)) and ($3::uuid is null or t.project_id = $3)
     and t.id > $4::uuid
   order by t.id limit $5`,
);

/** An account that two terminals are logged in to is counted once, as the one that was seen last says. */
const totalsStatement = sql(
  'sum_accounts',
  `with matching as (
     select distinct on (lower(t.server_name), ${toLoginKey('t.login')}) a.currency, a.balance, a.equity, a.profit, ${resultToday} as result_today,
       a.positions_total, coalesce(${CURRENT}, false) as is_current
     from terminals t ${ofTerminal(overviewColumns)}
     where t.user_id = $1 and t.deleted_at is null and ($2::uuid[] is null or t.id = any($2)) and ($3::uuid is null or t.project_id = $3)
     order by lower(t.server_name), ${toLoginKey('t.login')}, a.seen_at desc, t.id
   )
   select currency, count(*) as accounts, count(*) filter (where not is_current) as not_current, sum(balance)::text as balance,
     sum(equity)::text as equity, sum(profit)::text as profit, sum(result_today)::text as result_today,
     sum(positions_total) as positions
   from matching group by currency order by currency`,
);

/** Which terminals. */
export interface AccountsFilter {
  /** Undefined: all. */
  ids: readonly string[] | undefined;
  projectId: string | undefined;
}

/** @param after the id of the terminal that came last */
export const listAccounts = (
  db: Queryable,
  userId: string,
  { ids = undefined, projectId, after, limit }: AccountsFilter & { after: string; limit: number },
): Promise<Omit<AccountOverview, 'rules'>[]> =>
  db.query<Omit<AccountOverview, 'rules'>>(overviewStatement, [userId, ids ?? null, projectId ?? null, after, limit]);

/** Of all that match, exactly. */
export const sumAccounts = (
  db: Queryable,
  userId: string,
  { ids, projectId }: AccountsFilter,
): Promise<AccountTotals[]> => db.query<AccountTotals>(totalsStatement, [userId, ids ?? null, projectId ?? null]);

const withPositionsStatement = sql(
  'count_with_positions',
  `select count(*) as known, count(*) filter (where a.positions_total > 0) as open
   from terminals t ${ofTerminal('positions_total')} where t.id = any($1::uuid[])`,
);

/** How many of the terminals have open positions, as was reported last. @returns null where no account of them is known */
export const countWithPositions = async (db: Queryable, terminalIds: readonly string[]): Promise<number | null> => {
  const [row] = await db.query<{ known: number; open: number }>(withPositionsStatement, [terminalIds]);
  return row && row.known > 0 ? row.open : null;
};
