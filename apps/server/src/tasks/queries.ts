import { admittingStatuses, type TaskStatus, type TaskType } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { taskColumns, type TaskRow } from './task-row.ts';

export interface TaskFilter {
  status?: number | undefined;
  type?: number | undefined;
}

/** What an answer has of a task beside payload and result, about. */
const ROW_BYTES = 512;

const toWhole = (...columns: string[]): string =>
  columns.map((column) => `case when is_whole then ${column} end as ${column}`).join(', ');

/** Payloads and results are left out where the tasks before them are long enough already. */
const listStatement = sql(
  'list_tasks',
  `with listed as (
     select *, sum(size_bytes) over (order by seq desc) <= $7::bigint as is_whole
     from (
       select ${taskColumns}, seq,
         octet_length(payload::text) + coalesce(octet_length(result::text), 0) + ${ROW_BYTES} as size_bytes
       from tasks
       where terminal_id = $1 and user_id = $2
         and ($3::smallint is null or status = $3) and ($4::smallint is null or type = $4)
       order by seq desc limit $5 offset $6
     ) as page
   )
   select ${taskColumns.replace('payload, result', toWhole('payload', 'result'))}, seq::text as seq, size_bytes, is_whole
   from listed order by listed.seq desc`,
);
const listBySeqStatement = sql(
  'list_tasks_by_seq',
  `select ${taskColumns} from tasks where terminal_id = $1 and user_id = $2 and seq = any($3::bigint[]) order by seq desc`,
);
const countStatement = sql(
  'count_tasks',
  `select count(*) as total from tasks
   where terminal_id = $1 and user_id = $2
     and ($3::smallint is null or status = $3) and ($4::smallint is null or type = $4)`,
);

/** A task of a list; payload and result are there only where it is whole. */
export interface ListedTask extends TaskRow {
  seq: string;
  size_bytes: number;
  is_whole: boolean;
}

export interface ListWindow {
  userId: string;
  terminalId: string;
  filter: TaskFilter;
  limit: number;
  offset: number;
}

/** Newest first, whole until they are so many bytes together. */
export const listTasks = (
  db: Queryable,
  { userId, terminalId, filter: { status, type }, limit, offset }: ListWindow,
  wholeBytes: number,
): Promise<ListedTask[]> =>
  db.query<ListedTask>(listStatement, [terminalId, userId, status ?? null, type ?? null, limit, offset, wholeBytes]);

/** Those of these tasks that are still there, whole, newest first. */
export const listTasksBySeq = (
  db: Queryable,
  userId: string,
  terminalId: string,
  seqs: readonly string[],
): Promise<TaskRow[]> => db.query<TaskRow>(listBySeqStatement, [terminalId, userId, seqs]);

export const countTasks = async (db: Queryable, userId: string, terminalId: string, { status, type }: TaskFilter) =>
  (await db.query<{ total: number }>(countStatement, [terminalId, userId, status ?? null, type ?? null]))[0]?.total ??
  0;

const findStatement = sql(
  'find_task',
  `select ${taskColumns} from tasks where id = $1 and terminal_id = $2 and user_id = $3`,
);

export const findTask = async (
  db: Queryable,
  userId: string,
  terminalId: string,
  taskId: string,
): Promise<TaskRow | undefined> => (await db.query<TaskRow>(findStatement, [taskId, terminalId, userId]))[0];

export interface NewTask {
  id: string;
  userId: string;
  terminalId: string;
  type: TaskType;
  payload: Record<string, unknown>;
  /** Secret fields of the payload, sealed. */
  sealed: string | null;
  chartId: string | null;
  plannedAt: string | null;
  actor: 'user' | 'service';
}

/** Of one inserted task: what its terminal was; `created_at` null where nothing was inserted. */
export interface InsertedTask {
  id: string;
  terminal_status: number | null;
  host_id: string | null;
  created_at: string | null;
}

const insertStatement = sql(
  'insert_tasks',
  `with asked as (
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::smallint[], $5::jsonb[], $6::text[], $7::text[],
       $8::timestamptz[], $9::text[]) with ordinality
       as a (id, user_id, terminal_id, type, payload, sealed, chart_id, planned_at, actor, place)
   ), found as (
     select a.*, t.status as terminal_status, t.host_id
     from asked a join terminals t on t.id = a.terminal_id and t.user_id = a.user_id and t.deleted_at is null
   ), inserted as (
     insert into tasks (id, user_id, host_id, terminal_id, chart_id, type, payload, sealed, planned_at, actor)
     select id, user_id, host_id, terminal_id, chart_id, type, payload, sealed, planned_at, actor from found
     where actor = 'service' or terminal_status in (${admittingStatuses.join(', ')})
     order by place
     returning id, created_at
   )
   select a.id, f.terminal_status, f.host_id, i.created_at
   from asked a left join found f on f.id = a.id left join inserted i on i.id = a.id
   order by a.place`,
);

/**
 * Inserts tasks of any users and terminals in one statement. A user's task is inserted only on a terminal that admits it
 * (the contract's `findTaskRefusal` says why not). @returns one row a task, in the same order
 */
export const insertTasks = (db: Queryable, tasks: readonly NewTask[]): Promise<InsertedTask[]> =>
  db.query<InsertedTask>(insertStatement, [
    tasks.map((task) => task.id),
    tasks.map((task) => task.userId),
    tasks.map((task) => task.terminalId),
    tasks.map((task) => task.type),
    tasks.map((task) => JSON.stringify(task.payload)),
    tasks.map((task) => task.sealed),
    tasks.map((task) => task.chartId),
    tasks.map((task) => task.plannedAt),
    tasks.map((task) => task.actor),
  ]);

const cancelStatement = sql(
  'cancel_task',
  `update tasks set status = 6, actor = 'user', sealed = null, finished_at = now(), state_since = now(), updated_at = now(),
     result = $4
   where id = $1 and terminal_id = $2 and user_id = $3 and status in (0, 1)
   returning ${taskColumns}`,
);

/** Cancels a task that no host has; undefined when there is none such. */
export const cancelTask = async (
  db: Queryable,
  ids: { userId: string; terminalId: string; taskId: string },
  result: object,
): Promise<TaskRow | undefined> =>
  (await db.query<TaskRow>(cancelStatement, [ids.taskId, ids.terminalId, ids.userId, JSON.stringify(result)]))[0];

const cancelOpenStatement = sql(
  'cancel_open_tasks',
  `update tasks set status = 6, actor = 'user', sealed = null, finished_at = now(), state_since = now(), updated_at = now(),
     result = $2
   where terminal_id = $1 and finished_at is null and status in (0, 1)`,
);

/** Cancels everything of a terminal that no host has yet. */
export const cancelOpenTasks = async (db: Queryable, terminalId: string, result: object): Promise<void> => {
  await db.query(cancelOpenStatement, [terminalId, JSON.stringify(result)]);
};

const historyStatement = sql(
  'list_task_history',
  `select at, from_status, to_status, actor, attempt from task_history where task_id = $1 order by id`,
);

export interface TaskMove {
  at: string;
  from_status: TaskStatus | null;
  to_status: TaskStatus;
  actor: string;
  attempt: number;
}

/** Every move of a task, oldest first. */
export const listTaskHistory = (db: Queryable, taskId: string): Promise<TaskMove[]> =>
  db.query<TaskMove>(historyStatement, [taskId]);
