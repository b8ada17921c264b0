/**
 * The tasks of all terminals of a user. Even with a million of them, a page is read in milliseconds, because each kind
 * of filter starts from an index that contains little else: tasks of a terminal, of a project's terminals, open ones,
 * ended ones that did not succeed, or both of these; and everything else by type, newest first.
 */
import { TaskStatus, taskTypes } from '@berth/contract';
import { sql, type Queryable, type Statement } from '../db/database.ts';
import { COUNTED_ROWS, MAX_BIGINT, MIN_BIGINT } from '../db/page.ts';
import type { ListedTask } from './queries.ts';
import type { CountedList, SeqRange, TaskSegments } from './segments.ts';
import { ROW_BYTES, taskColumns, toWhole, type TaskRow } from './task-row.ts';

export interface AccountFilter {
  statuses: number[] | undefined;
  types: number[] | undefined;
  /** UUIDs. */
  terminalId: string | undefined;
  projectId: string | undefined;
  /** UUIDs of tasks. */
  ids: string[] | undefined;
  /** Of a run only the task of its first terminal. */
  isOnePerRun: boolean;
}

const isOfType = '($3::smallint[] is null or t.type = any($3))';
const isChosen = `($2::smallint[] is null or t.status = any($2)) and ${isOfType}`;
const isNext = `t.seq < coalesce($7::bigint, ${MAX_BIGINT}) and t.seq >= coalesce($9::bigint, ${MIN_BIGINT})`;
const newest = `and ${isNext} and $8::uuid[] is null order by t.seq desc limit $4`;

/** In the order of the index of open tasks: first those without a host. */
const toOpen = (condition: string, limit = newest): string => `terminals tm cross join lateral (
    select o.id, o.seq from (
      select * from tasks where host_id is null and terminal_id = tm.id and finished_at is null
      union all
      select * from tasks where host_id = tm.host_id and terminal_id = tm.id and finished_at is null
    ) as t cross join lateral (select t.id, t.seq) o
    where ${condition} and $5::uuid is null and $6::uuid is null
    ${limit}
  ) t where tm.user_id = $1 and tm.deleted_at is null`;

const toUnsuccessful = (condition: string, limit = newest): string => `(
    select t.id, t.seq from tasks t
    where t.user_id = $1 and t.finished_at is not null and coalesce(t.result ->> 'status', '') <> '0' and ${condition}
      and $5::uuid is null and $6::uuid is null
    ${limit}
  ) t`;

/**
 * The index covers everything that is selected, so that counting, or reading the last page, need not read a million
 * rows of the table.
 */
const toAll = (
  condition: string,
): string => `unnest(array[${taskTypes.join(', ')}]::smallint[]) as k (type) cross join lateral (
    select t.id, t.seq from tasks t
    where t.user_id = $1 and t.type = k.type and ($3::smallint[] is null or k.type = any($3)) and ${condition}
      and $5::uuid is null and $6::uuid is null
    ${newest}
  ) t`;

const isLeftOut = `$2::smallint[] is not null and not (t.status = any($2)) and ${isOfType} and ${isNext}`;

/** The first task of a run `r`: those of many thousand others are not read. */
export const firstOfRun = `select f.task_id, f.number from bulk_run_items f
  where f.run_id = r.id and f.task_id is not null order by f.number limit 1`;

/**
 * Where the rows `t` with id and seq come from. Each takes $1 the user, $2 statuses, $3 types, $4 the maximum number of
 * newest rows (null: all), $5 the terminal, $6 the project, $7 the `seq` that they must be older than, $8 ids of tasks,
 * $9 the `seq` of the oldest.
 */
const sources = {
  terminal: `(
    select t.id, t.seq from tasks t
    where t.terminal_id = $5 and t.user_id = $1 and ${isChosen}
      and ($6::uuid is null or (select tm.project_id from terminals tm where tm.id = $5) = $6)
    ${newest}
  ) t`,
  project: `terminals tm cross join lateral (
    select t.id, t.seq from tasks t
    where t.terminal_id = tm.id and ${isChosen} and $5::uuid is null
    ${newest}
  ) t where tm.project_id = $6 and tm.user_id = $1`,
  named: `(
    select t.id, t.seq from tasks t
    where t.id = any($8::uuid[]) and t.user_id = $1 and ${isChosen} and ($5::uuid is null or t.terminal_id = $5)
      and ($6::uuid is null or (select tm.project_id from terminals tm where tm.id = t.terminal_id) = $6)
      and ${isNext} order by t.seq desc limit $4
  ) t`,
  open: toOpen(isChosen),
  unsuccessful: toUnsuccessful(isChosen),
  unachieved: `(
    select t.id, t.seq from ${toOpen(isChosen)} union all select t.id, t.seq from ${toUnsuccessful(isChosen)}
  ) t`,
  all: toAll('$2::smallint[] is null'),
  folded: toAll(`$2::smallint[] is null and t.id not in (
        select i.task_id from bulk_runs r cross join lateral (${firstOfRun}) f
        join bulk_run_items i on i.run_id = r.id and i.number > f.number and i.task_id is not null
        where r.user_id = $1
      )`),
  // With COMPLETED among the statuses: all tasks, minus the few of other statuses.
  achieved: toAll(`t.id not in (
        select t.id from ${toOpen(isLeftOut, '')} union all select t.id from ${toUnsuccessful(isLeftOut, '')}
      )`),
};

type Source = keyof typeof sources;

const toStatements = (toStatement: (name: Source, source: string) => Statement): Record<Source, Statement> =>
  Object.fromEntries(
    Object.entries(sources).map(([name, source]) => [name, toStatement(name as Source, source)]),
  ) as Record<Source, Statement>;

/** Payloads and results are left out once the tasks before them are long enough, as in a terminal's list. */
const listStatements = toStatements((name, source) =>
  sql(
    `list_account_tasks_${name}`,
    `with page as (
       select t.id as task_id from ${source} order by t.seq desc limit $10 offset $11
     ), listed as (
       select *, sum(size_bytes) over (order by seq desc) <= $12::bigint as is_whole
       from (
         select ${taskColumns}, seq,
           octet_length(payload::text) + coalesce(octet_length(result::text), 0) + ${ROW_BYTES} as size_bytes
         from page p cross join lateral (select * from tasks where id = p.task_id offset 0) t
       ) as sized
     )
     select ${taskColumns.replace('payload, result', toWhole('payload', 'result'))}, seq::text as seq, size_bytes, is_whole
     from listed order by listed.seq desc`,
  ),
);

const countStatements = toStatements((name, source) =>
  sql(`count_account_tasks_${name}`, `select count(*) as total from ${source}`),
);

const { COMPLETED, FAILED, CANCELED, TERMINATED } = TaskStatus;
const UNSUCCESSFUL: readonly number[] = [FAILED, CANCELED, TERMINATED];

const toSource = ({ statuses, terminalId, projectId, ids, isOnePerRun }: AccountFilter): Source => {
  if (isOnePerRun) return 'folded';
  if (ids) return 'named';
  if (terminalId !== undefined) return 'terminal';
  if (projectId !== undefined) return 'project';
  if (statuses?.every((status) => status < COMPLETED)) return 'open';
  if (statuses?.every((status) => UNSUCCESSFUL.includes(status))) return 'unsuccessful';
  if (statuses) return statuses.includes(COMPLETED) ? 'achieved' : 'unachieved';
  return 'all';
};

const toValues = (
  userId: string,
  filter: AccountFilter,
  atMost: number | null,
  { from, below }: SeqRange,
): unknown[] => [
  userId,
  filter.statuses ?? null,
  filter.types ?? null,
  atMost,
  filter.terminalId ?? null,
  filter.projectId ?? null,
  below,
  filter.ids ?? null,
  from,
];

export interface AccountWindow extends SeqRange {
  limit: number;
  /** How many of the range are skipped. */
  offset: number;
}

/**
 * A page, newest first; payloads and results are included until they reach this many bytes together. Pass it the
 * owner's slow connections.
 */
export const listAccountTasks = (
  db: Queryable,
  userId: string,
  filter: AccountFilter,
  { limit, offset, ...range }: AccountWindow,
  wholeBytes: number,
): Promise<ListedTask[]> => {
  const values = [...toValues(userId, filter, offset + limit, range), limit, offset, wholeBytes];
  return db.query<ListedTask>(listStatements[toSource(filter)], values);
};

const countRange = async (db: Queryable, userId: string, filter: AccountFilter, range: SeqRange): Promise<number> => {
  const values = toValues(userId, filter, filter.isOnePerRun ? COUNTED_ROWS : null, range);
  const [row] = await db.query<{ total: number }>(countStatements[toSource(filter)], values);
  return row?.total ?? 0;
};

/**
 * The total, and where the pages start. Open and named tasks are few; the others are counted in segments, which know
 * nothing of runs.
 */
export const countAccountTasks = async (
  db: Queryable,
  segments: TaskSegments,
  userId: string,
  filter: AccountFilter,
): Promise<CountedList> => {
  const count = (range: SeqRange) => countRange(db, userId, filter, range);
  const { terminalId, projectId } = filter;
  const isInSegments =
    !['open', 'named', 'folded'].includes(toSource(filter)) && (terminalId === undefined || projectId === undefined);
  if (isInSegments) return segments.count(db, { userId, terminalId }, filter, count);
  const all = { from: null, below: null };
  return { total: await count(all), findPage: (offset) => ({ ...all, offset }) };
};

const listByIdStatement = sql(
  'list_account_tasks_by_id',
  `select ${taskColumns} from tasks where id = any($2::uuid[]) and user_id = $1 order by seq desc`,
);

/** Those of these tasks that still exist, with payload and result, newest first. */
export const listAccountTasksById = (db: Queryable, userId: string, ids: readonly string[]): Promise<TaskRow[]> =>
  db.query<TaskRow>(listByIdStatement, [userId, ids]);

const namesStatement = sql(
  'list_terminal_names',
  `select id, name from terminals where id = any($2::uuid[]) and user_id = $1`,
);

/** Names by terminal id, including deleted terminals. @param tasks one page of a list */
export const findTerminalNames = async (
  db: Queryable,
  userId: string,
  tasks: readonly Pick<TaskRow, 'terminal_id'>[],
): Promise<ReadonlyMap<string, string>> => {
  const ids = [...new Set(tasks.map(({ terminal_id: id }) => id))];
  const rows = await db.query<{ id: string; name: string }>(namesStatement, [userId, ids]);
  return new Map(rows.map(({ id, name }) => [id, name]));
};
