/** The statements that insert a run of tasks (`queries.ts`) with its members. */
import { bulkRunStates, findTaskRefusal, TaskType, TerminalStatus, terminalStatuses } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { SKIPPED } from './queries.ts';
import { isStop } from '../tasks/queue.ts';

const PENDING = bulkRunStates.indexOf('pending');

const NOT_INSTALLED = 'The terminal is not installed yet, so there is nothing on it to do this with.';
export const NOT_FOUND = 'Terminal not found.';

/** Why a run skips a terminal; undefined where its task can be carried out. */
export const findSkipReason = (status: TerminalStatus, type: TaskType): string | undefined => {
  const isInstalled = status !== TerminalStatus.PENDING && status !== TerminalStatus.INSTALLING;
  return isInstalled || type === TaskType.TERMINAL_DESTROY ? findTaskRefusal(status, type) : NOT_INSTALLED;
};

const countOpenStatement = sql(
  'count_open_bulk_runs',
  `select count(*) as total, count(*) filter (where total > $3::int) as large
   from bulk_runs r where user_id = $1 and finished_at is null and ${isStop('r')} = $2`,
);

/** Open runs of the user, those of stops or the others; and how many of them are on more than so many terminals. */
export const countOpenRuns = async (
  tx: Queryable,
  userId: string,
  { isStopping, above }: { isStopping: boolean; above: number },
): Promise<{ total: number; large: number }> =>
  (await tx.query<{ total: number; large: number }>(countOpenStatement, [userId, isStopping, above]))[0] ?? {
    total: 0,
    large: 0,
  };

const insertStatement = sql(
  'insert_bulk_run',
  `insert into bulk_runs (id, user_id, type, payload, sealed, planned_at, stagger_seconds, total)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

const insertItemsStatement = sql(
  'insert_bulk_run_items',
  `with inserted as (
     insert into bulk_run_items (run_id, number, terminal_id, state, reason)
     select $1, n.number, n.id, case when r.reason is null then ${PENDING} else ${SKIPPED} end, r.reason
     from unnest($3::uuid[]) with ordinality as n (id, number)
     left join terminals t on t.id = n.id and t.user_id = $2 and t.deleted_at is null
     cross join lateral (
       select case when t.id is null then '${NOT_FOUND}' else (
         select k.reason from unnest($4::smallint[], $5::text[]) as k (status, reason) where k.status = t.status
       ) end as reason
     ) r
     order by n.number
     returning reason
   )
   select count(*) as total from inserted where reason is distinct from '${NOT_FOUND}'`,
);

export interface NewRun {
  id: string;
  userId: string;
  type: TaskType;
  /** With its secrets masked. */
  payload: Record<string, unknown>;
  sealed: string | null;
  plannedAt: Date | undefined;
  staggerSeconds: number;
  /** Distinct UUIDs. */
  terminalIds: readonly string[];
}

/**
 * Inserts the run with its members; those that do not accept the task are already skipped. Run it in a transaction.
 * @param toSkipReason why a terminal of the status is skipped
 * @returns how many of them are terminals of the user
 */
export const insertRun = async (
  tx: Queryable,
  run: NewRun,
  toSkipReason: typeof findSkipReason = findSkipReason,
): Promise<number> => {
  const { id, userId, type, payload, sealed, plannedAt, staggerSeconds, terminalIds } = run;
  const first = plannedAt?.toISOString() ?? null;
  const values = [id, userId, type, JSON.stringify(payload), sealed, first, staggerSeconds, terminalIds.length];
  await tx.query(insertStatement, values);
  const skipped = terminalStatuses.flatMap((status) => {
    const reason = toSkipReason(status, type);
    return reason === undefined ? [] : [{ status, reason }];
  });
  const [statuses, reasons] = [skipped.map(({ status }) => status), skipped.map(({ reason }) => reason)];
  const found = await tx.query<{ total: number }>(insertItemsStatement, [id, userId, terminalIds, statuses, reasons]);
  return found[0]?.total ?? 0;
};
