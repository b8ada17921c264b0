/** Balance and equity of an account over time. The step that is under way is made of its minutes, the last one among them. */
import { historySteps, MAX_HISTORY_POINTS, type AccountPoint, type HistoryStep } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

/** The tables of an account's history, which all have the same columns. */
export const historyTables = {
  60: 'account_minutes',
  900: 'account_quarters',
  3600: 'account_hours',
  86400: 'account_days',
} as const satisfies Record<HistoryStep, string>;

/** SQL: the beginning of the step that a time is in. Days are those of UTC. */
export const toStepStart = (step: HistoryStep, at: string): string =>
  `date_bin('${step} seconds', ${at}, timestamptz 'epoch')`;

/** The newest first, so that a limit leaves out the oldest. */
const toText = (step: HistoryStep): string => `with account as materialized (
     select a.* from terminals t cross join lateral (
       select id, minute_at, balance, minute_min, minute_max, equity, profit from trading_accounts
       where terminal_id = t.id and login = t.login and server_name = t.server_name and taken_at is not null limit 1
     ) a
     where t.id = $1 and t.user_id = $2 and t.deleted_at is null
   ), stored as materialized (
     select p.at, p.balance, p.equity_min, p.equity_max, p.equity, p.profit, false as is_last
     from account a cross join lateral (
       select * from ${historyTables[step]} where account_id = a.id and at >= $3::timestamptz and at <= $4::timestamptz
       order by at desc limit $5
     ) p
   ), points as (
     select * from stored
     union all
     select ${toStepStart(step, 'minute_at')}, balance, minute_min, minute_max, equity, profit, true from account
   )
   select at, (array_agg(balance order by is_last desc))[1]::text as balance, min(equity_min)::text as equity_min,
     max(equity_max)::text as equity_max, (array_agg(equity order by is_last desc))[1]::text as equity,
     (array_agg(profit order by is_last desc))[1]::text as profit
   from points where at >= $3::timestamptz and at <= $4::timestamptz
   group by at order by at desc limit $5`;

const statements = Object.fromEntries(
  historySteps.map((step) => [step, sql(`read_account_history_${step}`, toText(step))]),
) as Record<HistoryStep, ReturnType<typeof sql>>;

export interface HistoryWindow {
  terminalId: string;
  userId: string;
  step: HistoryStep;
  from: Date;
  to: Date;
}

/** Oldest first, at most `MAX_HISTORY_POINTS`, the newest; empty for another user's terminal. */
export const readHistory = async (
  db: Queryable,
  { terminalId, userId, step, from, to }: HistoryWindow,
): Promise<AccountPoint[]> => {
  const values = [terminalId, userId, from.toISOString(), to.toISOString(), MAX_HISTORY_POINTS];
  return (await db.query<AccountPoint>(statements[step], values)).reverse();
};
