/**
 * Drains: a host is taken out of service. Nothing is placed on it any more, and what waited to be installed there waits
 * for another host again. Its terminals stay, or are asked to stop by tasks of the service, by whichever server is at it:
 * again where a stop failed, and once they are installed, or reached again. Nothing is ended by force, not even after the
 * deadline. All there is to know is in the database, so a server that is killed leaves nothing behind.
 */
import {
  HostStatus,
  ResultStatus,
  TaskType,
  TerminalStatus,
  toServiceResult,
  type DrainedTerminals,
} from '@berth/contract';
import type { Clock } from '@berth/kit';
import { sql, type Queryable, type Store, type Transaction } from '../db/database.ts';
import { DRAIN_LOCK } from '../db/locks.ts';
import { createTasks, type TaskCreationParts } from '../tasks/create-task.ts';
import type { TaskEnds } from '../tasks/ends.ts';
import { cancelStartsStatement, cancelStopsStatement } from '../tasks/transitions.ts';
import { takeBackInstallationsStatement } from '../terminals/transitions.ts';
import { RUNNING } from '../terminals/queries.ts';

/** Terminals that one transaction asks to stop. */
const MAX_TERMINALS_PER_BATCH = 500;

const lockStatement = sql('lock_drains', `select pg_advisory_xact_lock(${DRAIN_LOCK})`);
const tryLockStatement = sql('try_lock_drains', `select pg_try_advisory_xact_lock(${DRAIN_LOCK}) as is_ours`);

export interface DrainParts {
  ends: TaskEnds;
  clock: Clock;
}

const toResult = ({ clock }: DrainParts, text: string): string =>
  JSON.stringify(toServiceResult(ResultStatus.REFUSED, 'drain', 'E_UNSUPPORTED', text, new Date(clock.now())));

/** Takes back the stops that the host has not begun. Whoever calls it holds the lock of drains. */
export const cancelStops = (tx: Transaction, parts: DrainParts, hostId: string): Promise<unknown> =>
  parts.ends.end(tx, cancelStopsStatement, [toResult(parts, 'The drain of the host was ended.'), hostId]);

const beginStatement = sql(
  'begin_drain',
  `with forgotten as (
     update terminals set drain_task_id = null where host_id = $1 and deleted_at is null and drain_task_id is not null
   )
   update hosts set cordoned_at = coalesce(cordoned_at, now()), drain_started_at = coalesce(drain_started_at, now()),
     drain_terminals = $2, drain_deadline_at = now() + $3 * interval '1 minute', updated_at = now()
   where id = $1`,
);

/** Begins a drain, or changes the one that goes on. The caller holds the row of the host. */
export const beginDrain = async (
  tx: Transaction,
  parts: DrainParts,
  hostId: string,
  { terminals, deadlineMinutes }: { terminals: DrainedTerminals; deadlineMinutes: number | undefined },
): Promise<void> => {
  await cancelStops(tx, parts, hostId);
  const text = 'The host of the terminal is being drained by its operator.';
  if (terminals === 'stop') await parts.ends.end(tx, cancelStartsStatement, [toResult(parts, text), hostId]);
  const waits = 'The host is being drained; the terminal waits for another host with free capacity in this region.';
  await tx.query(takeBackInstallationsStatement, [hostId, waits]);
  await tx.query(beginStatement, [hostId, terminals, deadlineMinutes ?? null]);
};

const endStatement = sql(
  'end_drain',
  `update hosts set drain_started_at = null, drain_terminals = null, drain_deadline_at = null, updated_at = now(),
     cordoned_at = case when $2 then null else cordoned_at end
   where id = $1`,
);

/** Ends a drain, if there is one. What was stopped stays so. The caller holds the row of the host. */
export const endDrain = async (
  tx: Transaction,
  parts: DrainParts,
  hostId: string,
  { uncordon }: { uncordon: boolean },
): Promise<void> => {
  await cancelStops(tx, parts, hostId);
  await tx.query(endStatement, [hostId, uncordon]);
};

/** Until the transaction ends no other one begins or ends a drain, or asks terminals to stop. Take it before any row. */
export const lockDrains = async (tx: Queryable): Promise<void> => {
  await tx.query(lockStatement);
};

/** Asked again 5 minutes after a stop that failed, or that its user canceled. */
const dueStatement = sql(
  'list_terminals_to_drain',
  `select t.id, t.user_id
   from hosts h
   cross join lateral (select * from terminals where host_id = h.id and deleted_at is null offset 0) t
   left join lateral (select finished_at from tasks where id = t.drain_task_id) d on true
   where h.drain_started_at is not null and h.drain_terminals = 'stop' and h.status = ${HostStatus.ONLINE} and t.status in (${[...RUNNING, TerminalStatus.LOGIN_FAILED].join(', ')})
     and (t.drain_task_id is null or d.finished_at < now() - interval '5 minutes')
   limit $1`,
);

/** Of those of a user: a terminal that was moved since then is on another host, and is looked at there. */
const noteStatement = sql(
  'note_drain_tasks',
  `update terminals t set drain_task_id = n.task_id
   from unnest($1::uuid[], $2::uuid[]) as n (id, task_id) where t.id = n.id`,
);

export interface DrainsParts extends TaskCreationParts {
  db: Store;
  stopping: AbortSignal;
}

/** @returns how many were asked */
const askBatch = async (tx: Transaction, parts: DrainsParts): Promise<number> => {
  if ((await tx.query<{ is_ours: boolean }>(tryLockStatement))[0]?.is_ours !== true) return 0;
  const due = await tx.query<{ id: string; user_id: string }>(dueStatement, [MAX_TERMINALS_PER_BATCH]);
  if (due.length === 0) return 0;
  const requests = due.map(({ id: terminalId, user_id: userId }) => {
    return { userId, terminalId, type: TaskType.TERMINAL_STOP, payload: {}, actor: 'service' as const };
  });
  const outcomes = await createTasks(tx, parts, requests);
  const asked = outcomes.flatMap((outcome, index) =>
    outcome.kind === 'created' ? [{ id: due[index]!.id, taskId: outcome.id }] : [],
  );
  await tx.query(noteStatement, [asked.map(({ id }) => id), asked.map(({ taskId }) => taskId)]);
  return asked.length;
};

/** Asks the terminals of hosts that are being drained to stop. */
export const askToStop = async (parts: DrainsParts): Promise<void> => {
  let asked = MAX_TERMINALS_PER_BATCH;
  while (asked === MAX_TERMINALS_PER_BATCH && !parts.stopping.aborted)
    asked = await parts.db.transaction((tx) => askBatch(tx, parts));
};
