import { TaskStatus, TaskType, TerminalStatus } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { SCHEDULER_LOCK } from '../db/locks.ts';
import type { TerminalTransition } from '../terminals/changes.ts';
import { unreachableStatement } from '../terminals/transitions.ts';
import { promoteStatement } from '../tasks/transitions.ts';
import type { Times } from '../times.ts';

const turnStatement = sql(
  'take_turn',
  `select pg_try_advisory_xact_lock(${SCHEDULER_LOCK}) as is_ours, completed_at,
     abs(extract(epoch from now() - last_run_at) * 1000 - $1::double precision) <= $2::double precision as is_in_time
   from scheduler`,
);

export interface Turn {
  /** True when this server does the tick; the lock ends with the transaction. */
  is_ours: boolean;
  /** When any server's last tick was completed. */
  completed_at: string;
  /** False when the database's clock was set, or nobody ran, since the tick was noted. */
  is_in_time: boolean;
}

/** @param elapsedMs since the tick was noted, by a clock that nobody sets */
export const takeTurn = async (tx: Queryable, elapsedMs: number, { downtimeMs }: Times): Promise<Turn | undefined> =>
  (await tx.query<Turn>(turnStatement, [elapsedMs, downtimeMs]))[0];

const completeStatement = sql(
  'complete_tick',
  `update scheduler set completed_at = now(),
     last_run_at = greatest(last_run_at, least(now(), last_run_at + $1::double precision * interval '1 millisecond'))`,
);

/**
 * Notes that a tick did all its work: what `SchedulerPulse` tells. After its commit, because a tick that takes long is no
 * time without a server: measured from its start, each would pass for a downtime. By no more than it took,
 * because a clock that was set meanwhile must show as a downtime at the next tick.
 * @param elapsedMs since the tick was noted, by a clock that nobody sets
 */
export const completeTick = async (tx: Queryable, elapsedMs: number): Promise<void> => {
  await tx.query(completeStatement, [elapsedMs]);
};

/** @returns the terminals that are UNREACHABLE now */
export const markUnreachableTerminals = (
  tx: Queryable,
  hostIds: string[],
): Promise<(TerminalTransition & { host_id: string })[]> => tx.query(unreachableStatement, [hostIds]);

const orphanStatement = sql(
  'delete_orphaned_leases',
  `delete from task_leases l where (select t.status from tasks t where t.id = l.task_id limit 1)
     not in (${TaskStatus.DELIVERED}, ${TaskStatus.RUNNING})`,
);

/** A lease without an attempt would block its terminal for ever. None should exist; this is the net. */
export const deleteOrphanedLeases = async (tx: Queryable): Promise<void> => {
  await tx.query(orphanStatement);
};

/** In one tick; what is left stays PENDING, which holds up nothing: hosts claim it as well. */
const MAX_PROMOTED = 5_000;

/** PENDING → QUEUED for what is due and has its turn. @returns the hosts that have something to claim */
export const promoteTasks = async (tx: Queryable): Promise<string[]> =>
  (await tx.query<{ host_id: string }>(promoteStatement, [MAX_PROMOTED])).map((row) => row.host_id);

const hostlessStatement = sql(
  'list_hostless_destructions',
  `select id from terminals where status = ${TerminalStatus.DESTROYING} and waiting_since is null and host_id is null and deleted_at is null limit 500`,
);

/** Terminals to destroy whose host is gone: there is nothing left to remove. */
export const listHostlessDestructions = async (tx: Queryable): Promise<string[]> =>
  (await tx.query<{ id: string }>(hostlessStatement)).map((row) => row.id);

const stuckStatement = sql(
  'list_stuck_destructions',
  `select id, user_id from terminals tm
   where status = ${TerminalStatus.DESTROYING} and host_id is not null and deleted_at is null and updated_at < now() - interval '1 minute'
     and not exists (
       select from tasks t where t.host_id = tm.host_id and t.terminal_id = tm.id and t.finished_at is null
     )
     and not exists (
       select from tasks t where t.terminal_id = tm.id and t.type = ${TaskType.TERMINAL_DESTROY} and t.finished_at > now() - interval '5 minutes'
     )
   limit 500`,
);

/** Terminals that wait for a destruction that failed: it is tried again every few minutes. */
export const listStuckDestructions = (tx: Queryable): Promise<{ id: string; user_id: string }[]> =>
  tx.query(stuckStatement);
