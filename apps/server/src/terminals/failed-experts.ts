/**
 * Experts that a terminal refused to load, or that an error of their code ended, by what its host sees: reported once,
 * and remembered until they run or are gone.
 */
import type { EventData, ReportedCharts } from '@berth/contract';
import { sql, type Database, type Transaction } from '../db/database.ts';
import { recordEvents } from '../events/record.ts';

const forgetStatement = sql(
  'forget_failed_experts',
  `delete from failed_experts where terminal_id = any($1::uuid[])
     and (select true from terminals t where t.id = failed_experts.terminal_id and t.host_id = $2 limit 1)`,
);

/** In the order of everybody else: the terminals are held, so that their allowance is counted right. */
const lockStatement = sql(
  'lock_terminals_of_experts',
  `select id, user_id from terminals where id = any($1::uuid[]) and host_id = $2 and deleted_at is null
   order by id for no key update`,
);
const syncStatement = sql(
  'write_failed_experts',
  `with given as materialized (
     select distinct on (terminal_id, chart_id) * from unnest($2::uuid[], $3::text[], $4::text[], $5::text[])
       as g (terminal_id, chart_id, expert, symbol)
     where terminal_id = any($1::uuid[]) order by terminal_id, chart_id
   ), gone as (
     delete from failed_experts f where f.terminal_id = any($1::uuid[]) and not exists (
       select from given g where g.terminal_id = f.terminal_id and g.chart_id = f.chart_id
     )
   )
   insert into failed_experts as f (terminal_id, chart_id, expert, symbol)
   select terminal_id, chart_id, expert, symbol from given
   on conflict (terminal_id, chart_id) do update set expert = excluded.expert, symbol = excluded.symbol, since = now()
   where f.expert <> excluded.expert
   returning terminal_id, chart_id, expert, symbol`,
);

interface FailedExpert {
  terminal_id: string;
  chart_id: string;
  expert: string;
  symbol: string;
}

const toKey = ({ terminal_id, chart_id }: Pick<FailedExpert, 'terminal_id' | 'chart_id'>): string =>
  `${terminal_id} ${chart_id}`;

type ReportedExpert = FailedExpert & Pick<EventData<'expert.failed'>, 'period' | 'line'>;

/** The statement takes one of a chart: no chart is listed twice. */
const listFailed = (reported: readonly ReportedCharts[]): ReportedExpert[] => {
  const failed = reported.flatMap(({ terminal_id, charts }) =>
    charts.flatMap(({ chart_id, symbol, period, expert }) =>
      expert?.state === 'failed'
        ? {
            terminal_id: terminal_id.toLowerCase(),
            chart_id,
            symbol,
            period,
            expert: expert.name,
            line: expert.line ?? null,
          }
        : [],
    ),
  );
  return [...new Map(failed.map((one) => [toKey(one), one])).values()];
};

const tell = async (
  tx: Transaction,
  hostId: string,
  ids: readonly string[],
  failed: ReportedExpert[],
): Promise<void> => {
  const terminals = await tx.query<{ id: string; user_id: string }>(lockStatement, [ids, hostId]);
  const known = new Map(terminals.map((row) => [row.id, row]));
  const written = await tx.query<FailedExpert>(syncStatement, [
    [...known.keys()],
    failed.map((one) => one.terminal_id),
    failed.map((one) => one.chart_id),
    failed.map((one) => one.expert),
    failed.map((one) => one.symbol),
  ]);
  const byChart = new Map(failed.map((one) => [toKey(one), one]));
  const events = written.map((row) => {
    const { terminal_id: terminalId, chart_id, expert: name, symbol, period, line } = byChart.get(toKey(row))!;
    const { user_id: userId } = known.get(terminalId)!;
    return { type: 'expert.failed', userId, terminalId, data: { chart_id, name, symbol, period, line } } as const;
  });
  await recordEvents(tx, events);
};

/** @param reported charts that were taken, within their bounds */
export const noteFailedExperts = async (
  db: Pick<Database, 'query' | 'transaction'>,
  hostId: string,
  reported: readonly ReportedCharts[],
): Promise<void> => {
  const ids = reported.map(({ terminal_id: id }) => id.toLowerCase());
  if (ids.length === 0) return;
  const failed = listFailed(reported);
  if (failed.length === 0) await db.transaction((tx) => tx.query(forgetStatement, [ids, hostId]));
  else await db.transaction((tx) => tell(tx, hostId, ids, failed));
};
