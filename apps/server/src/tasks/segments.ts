/**
 * Long lists of tasks in segments: ranges of `seq` whose tasks are counted once, and again after something in them has
 * changed. Segments are created in the background when a long list is read, so that creating and moving tasks costs
 * nothing extra. The triggers on `tasks` mark a segment's row when something in it changes.
 *
 * A count is exact, because it is kept only if every transaction that began before the segment was known has ended
 * (`known_since`), and if none that began later has touched it (`touched`). The newest segment has no counts: its
 * tasks, at most two segments' worth once it was divided, are counted on each read.
 */
import { taskTypes } from '@berth/contract';
import { sleep, type Logger } from '@berth/kit';
import { DatabaseUnavailableError, sql, type Database, type Queryable } from '../db/database.ts';
import { MAX_BIGINT, MIN_BIGINT } from '../db/page.ts';

/** Tasks per segment: a page in its middle is found by reading that many entries of an index. */
const SEGMENT_TASKS = 4_096;
/** A list is maintained once in this time, however often it is read. */
const PAUSE_MS = 5_000;
/** How often a count waits, and how long, for transactions that do not know the segment. */
const ATTEMPTS = 20;
const WAIT_MS = 250;
/** Lists that are maintained at once; the others are when they are read again. */
const MAX_LISTS = 2;

/** A list of a user's tasks: of all their terminals, or of one. */
export interface TaskListOf {
  userId: string;
  terminalId?: string | undefined;
}

/** What is counted; undefined is all. */
export interface SegmentFilter {
  statuses: number[] | undefined;
  types: number[] | undefined;
  projectId: string | undefined;
}

/** From `from` up to, but not including, `below`; null: no upper bound. */
export interface SeqRange {
  from: string | null;
  below: string | null;
}

/** A part of a list; its total is undefined where it has to be counted. */
interface Part extends SeqRange {
  total: number | undefined;
}

const readStatement = sql(
  'list_task_segments',
  `select first_seq::text as first_seq, (
     select coalesce(sum(c.total), 0) from unnest(case when $5::uuid is null then counts else project_counts end) c
     where ($5 is null or c.project_id = $5) and ($3::smallint[] is null or c.status = any($3))
       and ($4::smallint[] is null or c.type = any($4))
     having (case when $5 is null then counts else project_counts end) is not null
   ) as total
   from task_segments s
   where list_id = $1 and ($1 = $2 or (select user_id from terminals where id = $1) = $2)
   order by s.list_id, s.first_seq desc`,
);

/** The list's parts, newest first; adjacent parts that have to be counted are merged. */
const readParts = async (db: Queryable, { userId, terminalId }: TaskListOf, filter: SegmentFilter): Promise<Part[]> => {
  const values = [
    terminalId ?? userId,
    userId,
    filter.statuses ?? null,
    filter.types ?? null,
    filter.projectId ?? null,
  ];
  const rows = await db.query<{ first_seq: string; total: number | null }>(readStatement, values);
  const parts: Part[] = [];
  for (const { first_seq: firstSeq, total } of rows) {
    const last = parts.at(-1);
    const from = firstSeq === MIN_BIGINT ? null : firstSeq;
    if (total === null && last && last.total === undefined) last.from = from;
    else parts.push({ from, below: last?.from ?? null, total: total ?? undefined });
  }
  return parts.length === 0 ? [{ from: null, below: null, total: undefined }] : parts;
};

/** Where a page starts: in `below`, after `offset` tasks; none of it is older than `from`. */
export interface Place extends SeqRange {
  offset: number;
}

const findPlace = (parts: readonly (Part & { total: number })[], offset: number, limit: number): Place => {
  let before = 0;
  let place: Place | undefined;
  for (const { from, below, total } of parts) {
    if (!place && offset < before + total) place = { from, below, offset: offset - before };
    before += total;
    if (place) place.from = from;
    if (place && before >= offset + limit) break;
  }
  // Beyond the end: an empty range.
  return place ?? { from: MAX_BIGINT, below: null, offset: 0 };
};

export interface CountedList {
  total: number;
  /** Where the page starts after this many tasks. */
  findPage: (offset: number, limit: number) => Place;
}

const toTail = (rows: string): string => `with newest as (
    select max(first_seq) as first_seq from task_segments where list_id = $1
  ), numbered as (
    select seq, row_number() over (order by seq) as number, count(*) over () as total from newest n cross join lateral (${rows}) t
  )
  insert into task_segments (list_id, first_seq)
  select $1, seq from numbered where number % $2 = 1 and number > 1 and number <= total - $2
  on conflict do nothing`;

const USER_TYPES = `unnest(array[${taskTypes.join(', ')}]::smallint[]) as k (type)`;

const openListStatement = sql(
  'open_task_segments',
  `insert into task_segments (list_id, first_seq) values ($1, ${MIN_BIGINT}) on conflict do nothing`,
);
/** Locked, so that only one server divides a list. */
const lockListStatement = sql(
  'lock_task_segments',
  `select first_seq from task_segments where list_id = $1 and first_seq = ${MIN_BIGINT} for update`,
);
const divideStatements = {
  user: sql(
    'divide_tasks_of_user',
    toTail(`select t.seq from ${USER_TYPES} cross join lateral (
      select seq from tasks where user_id = $1 and type = k.type and seq >= n.first_seq order by seq desc
    ) t`),
  ),
  terminal: sql(
    'divide_tasks_of_terminal',
    toTail('select seq from tasks where terminal_id = $1 and seq >= n.first_seq order by seq desc'),
  ),
};

/** Once they are committed, every transaction that starts to write later sees them. */
const announceStatement = sql(
  'announce_task_segments',
  `update task_segments s set known_since = pg_current_xact_id()
   where list_id = $1 and known_since is null
     and exists (select from task_segments n where n.list_id = $1 and n.first_seq > s.first_seq)`,
);
const uncountedStatement = sql(
  'list_uncounted_task_segments',
  `select first_seq::text as first_seq, known_since <= pg_snapshot_xmin(pg_current_snapshot()) as is_known
   from task_segments s where list_id = $1 and known_since is not null and (counts is null or project_counts is null)
   order by s.list_id, s.first_seq desc`,
);

/** @param projects the rows that are counted by project, which a terminal may leave */
const toCount = (rows: string, projects: string): string => `with segment as (
    select first_seq, touched, (select min(first_seq) from task_segments where list_id = $1 and first_seq > $2) as end_seq
    from task_segments
    where list_id = $1 and first_seq = $2 and known_since <= pg_snapshot_xmin(pg_current_snapshot())
  ), counted as (
    select tm.project_id, t.type, t.status, count(*)::int as total
    from segment s cross join lateral (${rows}) t
    cross join lateral (select project_id from terminals where id = t.terminal_id offset 0) tm
    group by tm.project_id, t.type, t.status
  )
  update task_segments u set
    counts = coalesce((
      select array_agg(row(null, type, status, total)::task_count)
      from (select type, status, sum(total)::int as total from counted group by type, status) c
    ), '{}'),
    project_counts = coalesce((select array_agg(row(project_id, type, status, total)::task_count) from ${projects}), '{}')
  from segment s
  where u.list_id = $1 and u.first_seq = s.first_seq and u.touched = s.touched and s.end_seq is not null`;

const countStatements = {
  user: sql(
    'count_task_segment_of_user',
    toCount(
      `select t.type, t.status, t.terminal_id from ${USER_TYPES} cross join lateral (
      select type, status, terminal_id from tasks
      where user_id = $1 and type = k.type and seq >= s.first_seq and seq < s.end_seq order by seq desc
    ) t`,
      'counted',
    ),
  ),
  terminal: sql(
    'count_task_segment_of_terminal',
    toCount(
      `select type, status, terminal_id from tasks
       where terminal_id = $1 and seq >= s.first_seq and seq < s.end_seq order by seq desc`,
      'counted where false',
    ),
  ),
};

export interface TaskSegmentsParts {
  db: Pick<Database, 'slow' | 'transaction'>;
  log: Logger;
  /** Stops counting in the background when the server stops. */
  stopping: AbortSignal;
  segmentTasks?: number;
}

/** Counts long lists of tasks, and maintains their segments. */
export class TaskSegments {
  readonly #parts: TaskSegmentsParts;
  readonly #segmentTasks: number;
  /** When lists were last maintained; only those of the last few seconds are kept. */
  readonly #doneAt = new Map<string, number>();
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(parts: TaskSegmentsParts) {
    this.#parts = parts;
    this.#segmentTasks = parts.segmentTasks ?? SEGMENT_TASKS;
  }

  /** @param count counts the tasks of the list in a range */
  async count(
    db: Queryable,
    list: TaskListOf,
    filter: SegmentFilter,
    count: (range: SeqRange) => Promise<number>,
  ): Promise<CountedList> {
    const parts = await readParts(db, list, filter);
    const counted: (Part & { total: number })[] = [];
    let fresh = 0;
    for (const part of parts) {
      const total = part.total ?? (await count(part));
      if (part.total === undefined) fresh += total;
      counted.push({ ...part, total });
    }
    const isGrown = fresh > (filter.statuses ? this.#segmentTasks / 16 : 2 * this.#segmentTasks);
    if (isGrown || parts.slice(1).some(({ total }) => total === undefined)) this.#lookAfter(list);
    const total = counted.reduce((sum, part) => sum + part.total, 0);
    return { total, findPage: (offset, limit) => findPlace(counted, offset, limit) };
  }

  /** Resolves when nothing is being counted in the background. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  #lookAfter(list: TaskListOf): void {
    const id = list.terminalId ?? list.userId;
    const now = performance.now();
    for (const [other, at] of this.#doneAt) if (now - at >= PAUSE_MS) this.#doneAt.delete(other);
    const isBusy = this.#underWay.size >= MAX_LISTS || this.#parts.stopping.aborted;
    if (isBusy || this.#underWay.has(id) || this.#doneAt.has(id)) return;
    const work = this.bringUpToDate(list)
      .catch((error: unknown) => {
        const level = error instanceof DatabaseUnavailableError ? 'debug' : 'warn';
        this.#parts.log[level]({ err: error, list: id }, 'counting the segments of a list of tasks failed');
      })
      .finally(() => {
        this.#underWay.delete(id);
        this.#doneAt.set(id, performance.now());
      });
    this.#underWay.set(id, work);
  }

  /** Divides the new part of a list into segments, and counts those without counts. */
  async bringUpToDate({ userId, terminalId }: TaskListOf): Promise<void> {
    const { db, stopping } = this.#parts;
    const [kind, id] = terminalId === undefined ? (['user', userId] as const) : (['terminal', terminalId] as const);
    await db.transaction(async (tx) => {
      await tx.query(openListStatement, [id]);
      await tx.query(lockListStatement, [id]);
      await tx.query(divideStatements[kind], [id, this.#segmentTasks]);
    });
    await db.slow.query(announceStatement, [id]);
    for (let attempt = 1; attempt <= ATTEMPTS && !stopping.aborted; attempt += 1) {
      const segments = await db.slow.query<{ first_seq: string; is_known: boolean }>(uncountedStatement, [id]);
      for (const { first_seq: firstSeq, is_known: isKnown } of segments) {
        if (stopping.aborted) return;
        if (isKnown) await db.slow.query(countStatements[kind], [id, firstSeq]);
      }
      if (segments.every(({ is_known: isKnown }) => isKnown)) return;
      await sleep(WAIT_MS, stopping);
    }
  }
}
