/** Experts that a terminal refused to load, by what its host sees: told of once, and remembered until they are gone. */
import type { ReportedCharts } from '@berth/contract';
import { sql, type Database, type Transaction } from '../db/database.ts';
import { happened } from '../happened.ts';

const forgetStatement = sql(
  'forget_failed_experts',
  `delete from failed_experts where terminal_id = any($1::uuid[])
     and (select true from terminals t where t.id = failed_experts.terminal_id and t.host_id = $2 limit 1)`,
);

/** In the order of everybody else: the terminals are held, so that their allowance is counted right. */
const lockStatement = sql(
  'lock_terminals_of_experts',
  `select id, user_id, name from terminals where id = any($1::uuid[]) and host_id = $2 and deleted_at is null
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

const listFailed = (reported: readonly ReportedCharts[]): FailedExpert[] =>
  reported.flatMap(({ terminal_id, charts }) =>
    charts.flatMap(({ chart_id, symbol, expert }) =>
      expert?.state === 'failed'
        ? [{ terminal_id: terminal_id.toLowerCase(), chart_id, expert: expert.name, symbol }]
        : [],
    ),
  );

const tell = async (tx: Transaction, hostId: string, ids: readonly string[], failed: FailedExpert[]): Promise<void> => {
  const terminals = await tx.query<{ id: string; user_id: string; name: string }>(lockStatement, [ids, hostId]);
  const known = new Map(terminals.map((row) => [row.id, row]));
  const written = await tx.query<FailedExpert>(syncStatement, [
    [...known.keys()],
    failed.map((one) => one.terminal_id),
    failed.map((one) => one.chart_id),
    failed.map((one) => one.expert),
    failed.map((one) => one.symbol),
  ]);
  for (const { terminal_id: terminalId, chart_id, expert, symbol } of written) {
    const { user_id: userId, name } = known.get(terminalId)!;
    happened(tx, { type: 'expert.failed', userId, terminalId, data: { name, chart_id, symbol, expert } });
  }
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
