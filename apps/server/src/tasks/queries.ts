import type { TaskMove, TaskType, TerminalStatus } from '@berth/contract';
import { sql, type Call, type Queryable } from '../db/database.ts';
import { MAX_BIGINT, MIN_BIGINT } from '../db/page.ts';
import { cancelAnyStatement, cancelStatement, insertStatement } from './transitions.ts';
import type { CountedList, SeqRange, TaskSegments } from './segments.ts';
import { ROW_BYTES, taskColumns, toWhole, type TaskRow } from './task-row.ts';

export interface TaskFilter {
  status?: number | undefined;
  type?: number | undefined;
}

/** Payloads and results are left out once the tasks before them are long enough. */
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
         and seq < coalesce($8::bigint, ${MAX_BIGINT})
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
     and ($3::smallint is null or status = $3) and ($4::smallint is null or type = $4)
     and seq < coalesce($5::bigint, ${MAX_BIGINT}) and seq >= coalesce($6::bigint, ${MIN_BIGINT})`,
);

/** A task of a list; payload and result are present only where it is whole. */
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
  /** How many of those older than `below` are skipped. */
  offset: number;
  /** The `seq` of the last task seen, where the list is read by cursor. */
  below: string | null;
}

/** Newest first; payloads and results are included until they reach this many bytes together. */
export const listTasks = (
  db: Queryable,
  { userId, terminalId, filter: { status, type }, limit, offset, below }: ListWindow,
  wholeBytes: number,
): Promise<ListedTask[]> => {
  const values = [terminalId, userId, status ?? null, type ?? null, limit, offset, wholeBytes, below];
  return db.query<ListedTask>(listStatement, values);
};

/** Those of these tasks that still exist, with payload and result, newest first. */
export const listTasksBySeq = (
  db: Queryable,
  userId: string,
  terminalId: string,
  seqs: readonly string[],
): Promise<TaskRow[]> => db.query<TaskRow>(listBySeqStatement, [terminalId, userId, seqs]);

/** The number of the terminal's tasks, and where the pages start. */
export const countTasks = (
  db: Queryable,
  segments: TaskSegments,
  { userId, terminalId, filter: { status, type } }: Pick<ListWindow, 'userId' | 'terminalId' | 'filter'>,
): Promise<CountedList> => {
  const filter = {
    statuses: status === undefined ? undefined : [status],
    types: type === undefined ? undefined : [type],
    projectId: undefined,
  };
  return segments.count(db, { userId, terminalId }, filter, async ({ from, below }: SeqRange) => {
    const values = [terminalId, userId, status ?? null, type ?? null, below, from];
    return (await db.query<{ total: number }>(countStatement, values))[0]?.total ?? 0;
  });
};

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
  /** Secret fields of the payload, encrypted. */
  sealed: string | null;
  chartId: string | null;
  plannedAt: string | null;
  actor: 'user' | 'service';
}

/** One inserted task, with its terminal's state; `created_at` is null where nothing was inserted. */
export interface InsertedTask {
  id: string;
  terminal_status: TerminalStatus | null;
  host_id: string | null;
  /** The terminal is locked, and refuses the task for that. */
  is_locked: boolean | null;
  /** The user is suspended, and the task could trade. */
  is_suspended: boolean | null;
  /** A stop of all algo trading is being committed. */
  is_stopping: boolean | null;
  /** Its host is being drained, and the task would start it. */
  is_draining: boolean | null;
  created_at: string | null;
}

/** The statement that inserts tasks of any users and terminals. It returns one row per task, in the same order. */
export const toInsertion = (tasks: readonly NewTask[]): Call => [
  insertStatement,
  [
    tasks.map((task) => task.id),
    tasks.map((task) => task.userId),
    tasks.map((task) => task.terminalId),
    tasks.map((task) => task.type),
    tasks.map((task) => JSON.stringify(task.payload)),
    tasks.map((task) => task.sealed),
    tasks.map((task) => task.chartId),
    tasks.map((task) => task.plannedAt),
    tasks.map((task) => task.actor),
  ],
];

/** Inserts tasks. @returns one row per task, in the same order */
export const insertTasks = (db: Queryable, tasks: readonly NewTask[]): Promise<InsertedTask[]> =>
  db.query<InsertedTask>(...toInsertion(tasks));

/** Cancels a task that no host has; undefined when there is no such task. */
export const cancelTask = async (
  db: Queryable,
  ids: { userId: string; terminalId: string; taskId: string },
  result: object,
): Promise<TaskRow | undefined> =>
  (await db.query<TaskRow>(cancelStatement, [JSON.stringify(result), ids.taskId, ids.terminalId, ids.userId]))[0];

/** The same for an operator, whoever's it is. */
export const cancelAnyTask = async (db: Queryable, taskId: string, result: object): Promise<TaskRow | undefined> =>
  (await db.query<TaskRow>(cancelAnyStatement, [JSON.stringify(result), taskId]))[0];

const ownHistoryStatement = sql(
  'list_own_task_history',
  `select m.at, m.from_status as "from", m.to_status as "to", m.actor, m.attempt
   from tasks t cross join lateral unnest(t.history) with ordinality
     as m (at, from_status, to_status, actor, attempt, number)
   where t.id = $1 and t.terminal_id = $2 and t.user_id = $3
   order by m.number`,
);

/** Every transition of the user's task, oldest first; empty where there is no such task. */
export const listOwnTaskHistory = (
  db: Queryable,
  userId: string,
  terminalId: string,
  taskId: string,
): Promise<TaskMove[]> => db.query<TaskMove>(ownHistoryStatement, [taskId, terminalId, userId]);
