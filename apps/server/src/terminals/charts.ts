/**
 * The charts of terminals as last reported by their hosts: one row per terminal, however often its host reports. A
 * report counts for terminals on the host itself, is limited to the contract's bounds, and is accepted at most once per
 * second and terminal.
 */
import { toBoundedCharts, type TerminalChart, type ReportedCharts } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import type { Times } from '../times.ts';

/**
 * Unchanged charts are not rewritten: the row keeps its value. After the clock was set back, times in the future block
 * nobody.
 */
const takeStatement = sql(
  'take_charts',
  `with given as materialized (
     select * from unnest($2::uuid[], $3::text[], $4::boolean[]) with ordinality as g (terminal_id, charts, truncated, place)
     where (select true from terminals t where t.id = g.terminal_id and t.host_id = $1 and t.deleted_at is null limit 1)
   ), taken as (
     insert into terminal_charts as c (terminal_id, host_id, charts, truncated)
     select terminal_id, $1, charts::json, truncated from given order by place
     on conflict (terminal_id) do update set
       host_id = excluded.host_id,
       charts = case when c.charts::text = excluded.charts::text then c.charts else excluded.charts end,
       truncated = excluded.truncated,
       seen_at = now(),
       changed_at = case
         when (c.host_id, c.charts::text, c.truncated) = (excluded.host_id, excluded.charts::text, excluded.truncated)
         then c.changed_at else now() end
     where c.host_id <> excluded.host_id
       or c.seen_at not between now() - $5 * interval '1 millisecond' and now() + $5 * interval '1 millisecond'
     returning terminal_id
   )
   select terminal_id from given where terminal_id not in (select terminal_id from taken)`,
);

/** One report of each terminal, the last, in the same order in all calls, so that they do not deadlock. */
const toRows = (reported: readonly ReportedCharts[]): ReportedCharts[] => {
  const rows = new Map(reported.map((each) => [each.terminal_id.toLowerCase(), each]));
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
};

const hold = (reported: readonly TerminalChart[], wasTruncated: boolean): { text: string; isTruncated: boolean } => {
  const { charts, truncated } = toBoundedCharts(reported);
  return { text: JSON.stringify(charts), isTruncated: wasTruncated || truncated };
};

/** @returns the terminals on the host whose last report is too recent: the host may report them again */
export const takeCharts = async (
  db: Queryable,
  hostId: string,
  reported: readonly ReportedCharts[],
  { chartsGapMs }: Times,
): Promise<string[]> => {
  const rows = toRows(reported).map(({ terminal_id: id, charts, truncated }) => ({ id, ...hold(charts, truncated) }));
  const early = await db.query<{ terminal_id: string }>(takeStatement, [
    hostId,
    rows.map(({ id }) => id),
    rows.map(({ text }) => text),
    rows.map(({ isTruncated }) => isTruncated),
    chartsGapMs,
  ]);
  return early.map((row) => row.terminal_id);
};

const findStatement = sql(
  'find_charts',
  `select c.charts, c.truncated, c.seen_at
   from terminals t left join terminal_charts c on c.terminal_id = t.id and c.host_id = t.host_id
   where t.id = $1 and t.user_id = $2 and t.deleted_at is null`,
);

export interface SeenCharts {
  /** null: no host has reported them yet. */
  charts: TerminalChart[] | null;
  truncated: boolean | null;
  seen_at: string | null;
}

/** Undefined where the user has no such terminal. */
export const findCharts = async (db: Queryable, userId: string, terminalId: string): Promise<SeenCharts | undefined> =>
  (await db.query<SeenCharts>(findStatement, [terminalId, userId]))[0];
