/** Moving tasks on: the one place that writes a status after delivery, for reports and for the scheduler alike. */
import {
  decideAttemptEnd,
  isFinalTaskStatus,
  TaskStatus,
  toDeadlineMs,
  type AttemptEnd,
  type TaskResult,
  type TaskType,
} from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

/** What a decision about a task needs to know. */
export interface LockedTask {
  id: string;
  user_id: string;
  terminal_id: string;
  host_id: string | null;
  type: TaskType;
  status: TaskStatus;
  attempts: number;
  payload: Record<string, unknown>;
  sealed: string | null;
  delivered_at: string | null;
}

const lockStatement = sql(
  'lock_tasks',
  `select id, user_id, terminal_id, host_id, type, status, attempts, payload, sealed, delivered_at
   from tasks where id = any($1::uuid[]) order by id for update`,
);

/** Reads tasks and holds them until the transaction ends. Always tasks before terminals, so that two writers never cross. */
export const lockTasks = async (tx: Queryable, ids: readonly string[]): Promise<Map<string, LockedTask>> => {
  if (ids.length === 0) return new Map();
  const rows = await tx.query<LockedTask>(lockStatement, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
};

export interface TaskMove {
  task: LockedTask;
  to: TaskStatus;
  /** Only with a final status. */
  result: TaskResult | null;
  /** Only back to QUEUED: how long it waits there at least. */
  delayMs: number;
  actor: 'agent' | 'service' | 'operator';
}

export const toStart = (task: LockedTask): TaskMove => ({
  task,
  to: TaskStatus.RUNNING,
  result: null,
  delayMs: 0,
  actor: 'agent',
});

/** The move that an attempt's end leads to. @param random uniform in [0, 1) */
export const toEnd = (
  task: LockedTask,
  end: AttemptEnd,
  now: Date,
  random: number,
  actor: TaskMove['actor'],
): TaskMove => {
  const verdict = decideAttemptEnd(task, end, now, random);
  if (verdict.status === TaskStatus.QUEUED) {
    return { task, to: verdict.status, result: null, delayMs: verdict.delayMs, actor };
  }
  const result = { runner_result: verdict.steps, status: verdict.resultStatus };
  return { task, to: verdict.status, result, delayMs: 0, actor };
};

const moveStatement = sql(
  'move_tasks',
  `with moved as (
     select * from unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::jsonb[], $5::int[], $6::text[], $7::int[])
       as m (id, terminal_id, status, result, delay_ms, actor, deadline_ms)
   ), released as (
     delete from task_leases l using moved m
     where l.terminal_id = m.terminal_id and l.task_id = m.id and m.status <> 3
   ), extended as (
     update task_leases l set deadline_at = now() + m.deadline_ms * interval '1 millisecond'
     from moved m where l.terminal_id = m.terminal_id and l.task_id = m.id and m.status = 3
   )
   update tasks t set
     status = m.status,
     actor = m.actor,
     result = coalesce(m.result, t.result),
     sealed = case when m.status >= 4 then null else t.sealed end,
     available_at = case when m.status = 1 then now() + m.delay_ms * interval '1 millisecond' else t.available_at end,
     started_at = case when m.status = 1 then null when m.status in (3, 4) then coalesce(t.started_at, now()) else t.started_at end,
     finished_at = case when m.status >= 4 then now() end,
     state_since = now(),
     updated_at = now()
   from moved m where t.id = m.id
   returning t.host_id, m.status >= 4 and exists (
     select from tasks o where o.host_id = t.host_id and o.terminal_id = t.terminal_id and o.finished_at is null and o.id <> t.id
   ) as has_next`,
);

/** Writes the moves, the leases with them. @returns the hosts for which a further task of a terminal became due */
export const moveTasks = async (tx: Queryable, moves: readonly TaskMove[]): Promise<string[]> => {
  if (moves.length === 0) return [];
  const rows = await tx.query<{ host_id: string | null; has_next: boolean }>(moveStatement, [
    moves.map(({ task }) => task.id),
    moves.map(({ task }) => task.terminal_id),
    moves.map(({ to }) => to),
    moves.map(({ result }) => (result ? JSON.stringify(result) : null)),
    moves.map(({ delayMs }) => delayMs),
    moves.map(({ actor }) => actor),
    moves.map(({ task }) => toDeadlineMs(TaskStatus.RUNNING, task.type)),
  ]);
  return rows.flatMap((row) => (row.has_next && row.host_id !== null ? [row.host_id] : []));
};

export const isEnd = ({ to }: TaskMove): boolean => isFinalTaskStatus(to);
