/** Moves attempts on, for reports and for the scheduler. */
import {
  decideAttemptEnd,
  isFinalTaskStatus,
  TaskStatus,
  toDeadlineMs,
  type AttemptEnd,
  type TaskResult,
  type TaskType,
} from '@berth/contract';
import { sql, type Queryable, type Transaction } from '../db/database.ts';
import type { TaskEnds } from './ends.ts';
import { transitionStatement } from './transitions.ts';
import { isRefusedByLock } from './queue.ts';

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

/**
 * Reads tasks and locks them until the transaction ends. Always tasks before terminals, so that two writers never
 * deadlock.
 */
export const lockTasks = async (tx: Queryable, ids: readonly string[]): Promise<Map<string, LockedTask>> => {
  if (ids.length === 0) return new Map();
  const rows = await tx.query<LockedTask>(lockStatement, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
};

export interface TaskTransition {
  task: LockedTask;
  to: TaskStatus;
  /** Only with a final status. */
  result: TaskResult | null;
  /** Only for a return to QUEUED: the shortest time it waits there. */
  delayMs: number;
  actor: 'agent' | 'service' | 'operator';
}

export const toStart = (task: LockedTask): TaskTransition => ({
  task,
  to: TaskStatus.RUNNING,
  result: null,
  delayMs: 0,
  actor: 'agent',
});

/** The transition at the end of an attempt. @param random uniform in [0, 1) */
export const toEnd = (
  task: LockedTask,
  end: AttemptEnd,
  now: Date,
  random: number,
  actor: TaskTransition['actor'],
): TaskTransition => {
  const decision = decideAttemptEnd(task, end, now, random);
  return decision.status === TaskStatus.QUEUED
    ? { task, to: decision.status, result: null, delayMs: decision.delayMs, actor }
    : { task, to: decision.status, result: decision.result, delayMs: 0, actor };
};

export const isEnd = ({ to }: TaskTransition): boolean => isFinalTaskStatus(to);

/** Writes the transitions with their leases. @returns the hosts for which another task of a terminal became due */
export const applyTransitions = async (
  tx: Transaction,
  transitions: readonly TaskTransition[],
  ends: TaskEnds,
): Promise<string[]> => {
  if (transitions.length === 0) return [];
  const ended = transitions.filter(isEnd).map(({ task, to }) => ({ ...task, status: to }));
  const rows = await tx.query<{ host_id: string | null; has_next: boolean }>(transitionStatement, [
    transitions.map(({ task }) => task.id),
    transitions.map(({ task }) => task.terminal_id),
    transitions.map(({ to }) => to),
    transitions.map(({ result }) => (result ? JSON.stringify(result) : null)),
    transitions.map(({ delayMs }) => delayMs),
    transitions.map(({ actor }) => actor),
    transitions.map(({ task }) => toDeadlineMs(TaskStatus.RUNNING, task.type)),
  ]);
  await ends.note(tx, ended);
  return rows.flatMap((row) => (row.has_next && row.host_id !== null ? [row.host_id] : []));
};

/** Ends tasks without their hosts: what waits is canceled, and what a host has in hand counts for nothing from then on. */
export const endTasks = async (
  tx: Transaction,
  ends: TaskEnds,
  ids: readonly string[],
  result: TaskResult,
): Promise<void> => {
  const { DELIVERED, RUNNING, FAILED, CANCELED } = TaskStatus;
  const open = [...(await lockTasks(tx, ids)).values()].filter(({ status }) => !isFinalTaskStatus(status));
  const transitions = open.map((task) => {
    const to = task.status === DELIVERED || task.status === RUNNING ? FAILED : CANCELED;
    return { task, to, result, delayMs: 0, actor: 'service' as const };
  });
  await applyTransitions(tx, transitions, ends);
};

const inHandStatement = sql(
  'list_trading_tasks_in_hand',
  `select id from tasks t where terminal_id = any($1::uuid[]) and finished_at is null and ${isRefusedByLock('t')}`,
);

/**
 * Fails what hosts have in hand and a lock refuses, so that nothing that they report of it counts, and it is not tried
 * again. Its caller follows with a task that switches trading off, because a host may be doing it right now: the
 * delivery ends the attempt on the host.
 * @returns how many there were
 */
export const takeBackInHand = async (
  tx: Transaction,
  ends: TaskEnds,
  {
    terminalIds,
    result,
    actor,
  }: { terminalIds: readonly string[]; result: TaskResult; actor: TaskTransition['actor'] },
): Promise<number> => {
  const open = await tx.query<{ id: string }>(inHandStatement, [terminalIds]);
  const ids = open.map(({ id }) => id);
  const { DELIVERED, RUNNING, FAILED } = TaskStatus;
  const inHand = [...(await lockTasks(tx, ids)).values()].filter(({ status }) =>
    [DELIVERED, RUNNING].some((each) => each === status),
  );
  const transitions = inHand.map((task) => ({ task, to: FAILED, result, delayMs: 0, actor }));
  await applyTransitions(tx, transitions, ends);
  return transitions.length;
};
