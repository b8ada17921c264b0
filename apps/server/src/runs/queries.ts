/**
 * The statements of runs: the same task on many terminals, created in batches and followed until each has ended. Only
 * its user sees a run. The scheduler refers to runs by their ids.
 */
import {
  bulkRunStates,
  TaskStatus,
  type BulkRun,
  type BulkRunItem,
  type BulkRunState,
  type TaskType,
} from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { COUNTED_ROWS, isOlder, toKey, toOffset, type PageInput } from '../db/page.ts';
import { firstOfRun } from '../tasks/account-list.ts';
import type { TaskRow } from '../tasks/task-row.ts';

const toNumber = (state: BulkRunState): number => bulkRunStates.indexOf(state);
/** The state of a member that does not accept the task. */
export const SKIPPED = toNumber('skipped');
const [FAILED, CANCELED, IN_PROGRESS, PENDING, SUCCEEDED] = [
  toNumber('failed'),
  toNumber('canceled'),
  toNumber('in_progress'),
  toNumber('pending'),
  toNumber('succeeded'),
];

const countsOf = (run: string): string =>
  `array(select (select count(*)::int from bulk_run_items i where i.run_id = ${run} and i.state = s.state)
     from generate_series(0, ${bulkRunStates.length - 1}) as s (state) order by s.state)`;

const runColumns = `r.id, r.type, r.payload, r.planned_at, r.stagger_seconds, r.created_at, r.canceled_at, r.finished_at, r.total,
  coalesce(r.counts, ${countsOf('r.id')}) as counts`;

type RunRow = Omit<BulkRun, BulkRunState> & { counts: number[] };

const toRun = ({ counts, ...row }: RunRow): BulkRun => {
  const byState = Object.fromEntries(bulkRunStates.map((state, place) => [state, counts[place] ?? 0]));
  return { ...row, ...(byState as Record<BulkRunState, number>) };
};

const findStatement = sql('find_bulk_run', `select ${runColumns} from bulk_runs r where r.id = $1 and r.user_id = $2`);

export const findRun = async (db: Queryable, userId: string, id: string): Promise<BulkRun | undefined> =>
  (await db.query<RunRow>(findStatement, [id, userId])).map(toRun)[0];

const listStatement = sql(
  'list_bulk_runs',
  `select ${runColumns} from bulk_runs r where r.user_id = $1 and ${isOlder(4)}
   order by r.created_at desc, r.id desc limit $2 offset $3::bigint`,
);
const countStatement = sql(
  'count_bulk_runs',
  `select count(*) as total from (select from bulk_runs where user_id = $1 limit $2) counted`,
);

/** The user's runs, newest first. */
export const listRuns = async (db: Queryable, userId: string, page: PageInput): Promise<BulkRun[]> =>
  (await db.query<RunRow>(listStatement, [userId, page.per_page, toOffset(page), ...toKey(page, 2)])).map(toRun);

export const countRuns = async (db: Queryable, userId: string): Promise<number> =>
  (await db.query<{ total: number }>(countStatement, [userId, COUNTED_ROWS]))[0]?.total ?? 0;

const runsStatement = sql(
  'list_runs_of_tasks',
  `select f.task_id, ${runColumns} from bulk_runs r cross join lateral (${firstOfRun}) f
   where r.user_id = $1 and f.task_id = any($2::uuid[])`,
);

/** Runs by the id of their first task. @param tasks one page of a list */
export const findRunsOfTasks = async (
  db: Queryable,
  userId: string,
  tasks: readonly Pick<TaskRow, 'id'>[],
): Promise<ReadonlyMap<string, BulkRun>> => {
  const ids = tasks.map(({ id }) => id);
  const rows = await db.query<RunRow & { task_id: string }>(runsStatement, [userId, ids]);
  return new Map(rows.map(({ task_id, ...run }) => [task_id, toRun(run)]));
};

const listItemsStatement = sql(
  'list_bulk_run_items',
  `select i.number, i.terminal_id, t.name as terminal_name, i.task_id, i.state, i.reason, i.code
   from bulk_runs r
   join bulk_run_items i on i.run_id = r.id and ($3::smallint is null or i.state = $3)
   left join terminals t on t.id = i.terminal_id and t.user_id = r.user_id
   where r.id = $1 and r.user_id = $2 and ($6::bigint is null or i.number > $6)
   order by case when $7 then 0 else i.state end, i.number limit $4 offset $5::bigint`,
);

/** Outcomes of a user's run, by terminal: what needs attention comes first; by cursor, in the order of members. */
export const listRunItems = async (
  db: Queryable,
  userId: string,
  id: string,
  state: BulkRunState | undefined,
  page: PageInput,
): Promise<BulkRunItem[]> => {
  type Row = Omit<BulkRunItem, 'state'> & { state: number };
  const values = [id, userId, state === undefined ? null : toNumber(state), page.per_page, toOffset(page)];
  const place = [...toKey(page, 1), page.after !== undefined];
  const rows = await db.query<Row>(listItemsStatement, [...values, ...place]);
  return rows.map((row) => ({ ...row, state: bulkRunStates[row.state] ?? 'failed' }));
};

const markCanceledStatement = sql(
  'cancel_bulk_run',
  `update bulk_runs set canceled_at = now()
   where id = $1 and user_id = $2 and finished_at is null and canceled_at is null returning id`,
);
const cancelPendingStatement = sql(
  'cancel_pending_bulk_run_items',
  `update bulk_run_items set state = ${CANCELED}, reason = 'The run was canceled before its task was created.'
   where run_id = $1 and state = ${PENDING}`,
);

/** No further task of the run is created. @returns false unless the user has such an open, uncanceled run */
export const cancelRun = async (tx: Queryable, userId: string, id: string): Promise<boolean> => {
  const isOpen = (await tx.query(markCanceledStatement, [id, userId])).length > 0;
  if (isOpen) await tx.query(cancelPendingStatement, [id]);
  return isOpen;
};

/** Runs that have had their turn go to the end of the queue: open runs that only wait must not keep others from it. */
const listOpenStatement = sql(
  'list_open_bulk_runs',
  `with due as materialized (
     select id from bulk_runs where finished_at is null order by served_at limit $1
   ), served as (
     update bulk_runs set served_at = clock_timestamp() where id = any(array(
       select id from bulk_runs where id in (select id from due) and finished_at is null for update skip locked
     ))
   )
   select r.id, r.user_id, r.type, r.canceled_at is not null as is_canceled, exists (
     select from bulk_run_items i where i.run_id = r.id and i.state = ${PENDING}
   ) as has_pending
   from bulk_runs r where r.id in (select id from due) order by r.served_at`,
);

export interface OpenRun {
  id: string;
  user_id: string;
  type: TaskType;
  is_canceled: boolean;
  /** Some of its tasks have yet to be created. */
  has_pending: boolean;
}

/** Open runs, the one that waited longest for its turn first. */
export const listOpenRuns = (db: Queryable, limit: number): Promise<OpenRun[]> =>
  db.query<OpenRun>(listOpenStatement, [limit]);

const takeStatement = sql(
  'take_bulk_run',
  `update bulk_runs set served_at = clock_timestamp()
   where id = (select id from bulk_runs where id = $1 and finished_at is null and canceled_at is null for update skip locked)
   returning id, user_id, type, payload, sealed, planned_at, stagger_seconds`,
);
const listPendingStatement = sql(
  'list_pending_bulk_run_items',
  `select number, terminal_id from bulk_run_items where run_id = $1 and state = ${PENDING} order by number limit $2`,
);

export interface TakenRun {
  id: string;
  user_id: string;
  type: TaskType;
  payload: Record<string, unknown>;
  sealed: string | null;
  planned_at: string | null;
  stagger_seconds: number;
}

export interface PendingItem {
  number: number;
  terminal_id: string;
}

/** Locks an open run until the transaction ends; undefined where another server holds it. */
export const takeRun = async (tx: Queryable, id: string): Promise<TakenRun | undefined> =>
  (await tx.query<TakenRun>(takeStatement, [id]))[0];

export const listPendingItems = (tx: Queryable, id: string, limit: number): Promise<PendingItem[]> =>
  tx.query<PendingItem>(listPendingStatement, [id, limit]);

const noteStatement = sql(
  'note_bulk_run_items',
  `update bulk_run_items i set state = n.state, task_id = n.task_id, reason = n.reason
   from unnest($2::int[], $3::smallint[], $4::uuid[], $5::text[]) as n (number, state, task_id, reason)
   where i.run_id = $1 and i.number = n.number`,
);

export interface NotedItem {
  number: number;
  state: BulkRunState;
  taskId: string | null;
  reason: string | null;
}

/** Records what was created, in the transaction that created it. */
export const noteItems = async (tx: Queryable, id: string, items: readonly NotedItem[]): Promise<void> => {
  const numbers = items.map(({ number }) => number);
  const states = items.map(({ state }) => toNumber(state));
  const taskIds = items.map(({ taskId }) => taskId);
  await tx.query(noteStatement, [id, numbers, states, taskIds, items.map(({ reason }) => reason)]);
};

// A task that no longer exists was removed with its terminal. COMPLETED means that the host confirmed it.
const settleStatement = sql(
  'settle_bulk_run_items',
  `update bulk_run_items i set state = e.state, code = e.code, reason = case when e.state = ${SUCCEEDED} then null
     else coalesce(e.message, 'The task ended without a reason, or is not there any more.') end
   from (
     select o.number, s.step ->> 'code' as code, s.step ->> 'message' as message,
       case t.status when ${TaskStatus.COMPLETED} then ${SUCCEEDED} when ${TaskStatus.CANCELED} then ${CANCELED}
         else ${FAILED} end as state
     from bulk_run_items o left join tasks t on t.id = o.task_id
     cross join lateral (select t.result -> 'runner_result' -> -1 as step) s
     where o.run_id = $1 and o.state = ${IN_PROGRESS} and (t.id is null or t.finished_at is not null)
     limit $2
   ) e
   where i.run_id = $1 and i.number = e.number and i.state = ${IN_PROGRESS}
   returning i.number`,
);

/** Records the ends of tasks, up to a limit. @returns how many */
export const settleItems = async (db: Queryable, id: string, limit: number): Promise<number> =>
  (await db.query(settleStatement, [id, limit])).length;

const finishStatement = sql(
  'finish_bulk_run',
  `update bulk_runs r set finished_at = now(), sealed = null, counts = ${countsOf('r.id')}
   where r.id = $1 and r.finished_at is null and not exists (
     select from bulk_run_items i where i.run_id = r.id and i.state in (${IN_PROGRESS}, ${PENDING})
   )`,
);

/** Ends a run without open members. */
export const finishRun = async (db: Queryable, id: string): Promise<void> => {
  await db.query(finishStatement, [id]);
};
