/**
 * Stops interrupt what runs on their terminal. A terminal has one lease: so the attempt gives it up, its task is queued
 * again, and the stop, which is in the lane before it, is the next to be claimed. Its delivery tells the agent that
 * nothing else of the terminal is valid. Why not two leases: decisions/0036-lane-of-stops.md.
 */
import { interruptibleTypes, MAX_INTERRUPTED_ATTEMPTS, TaskStatus } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { sql, type Transaction } from '../db/database.ts';
import type { TaskEnds } from './ends.ts';
import { lockTasks, applyTransitions, toEnd } from './outcomes.ts';
import { isWaiting } from './queue.ts';

const { DELIVERED, RUNNING } = TaskStatus;

/** The next tick goes on. */
const MAX_INTERRUPTED = 500;

const stops = `select terminal_id from tasks s where finished_at is null and lane = 0 and ${isWaiting('s')}`;

/**
 * Attempts that hold up a stop which is due, of these terminals or of all. From the stops that are open, which are few,
 * to the leases of their terminals.
 */
const listStatement = sql(
  'list_attempts_before_stops',
  `select distinct t.id
   from (
     ${stops} and waits_until is null and (planned_at is null or planned_at <= now())
     union all
     ${stops} and waits_until <= now()
   ) s
   cross join lateral (select task_id from task_leases where terminal_id = s.terminal_id offset 0) l
   cross join lateral (
     select id, type, lane, attempts from tasks where id = l.task_id and status in (${DELIVERED}, ${RUNNING}) offset 0
   ) t
   where ($1::uuid[] is null or s.terminal_id = any($1)) and t.lane > 0
     and t.type in (${interruptibleTypes.join(', ')}) and t.attempts < ${MAX_INTERRUPTED_ATTEMPTS}
   limit ${MAX_INTERRUPTED}`,
);

export interface StopParts {
  ends: TaskEnds;
  clock: Clock;
}

/**
 * Queues again what holds up stops.
 * @param terminalIds null: of all terminals
 * @returns the hosts that have a stop to claim now
 */
export const makeWayForStops = async (
  tx: Transaction,
  { ends, clock }: StopParts,
  terminalIds: readonly string[] | null,
): Promise<string[]> => {
  const found = await tx.query<{ id: string }>(listStatement, [terminalIds]);
  if (found.length === 0) return [];
  const tasks = await lockTasks(
    tx,
    found.map(({ id }) => id),
  );
  const now = new Date(clock.now());
  const transitions = [...tasks.values()]
    .filter(
      ({ status, attempts }) => (status === DELIVERED || status === RUNNING) && attempts < MAX_INTERRUPTED_ATTEMPTS,
    )
    .map((task) => toEnd(task, { kind: 'preempted' }, now, 0, 'service'));
  await applyTransitions(tx, transitions, ends);
  return [...new Set(transitions.flatMap(({ task }) => task.host_id ?? []))];
};
