import { HOST_LOST_MS, LEASE_MS, QUEUED_DEADLINE_MS } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

/** Any number, the same in every server: whoever holds it does this tick. */
export const SCHEDULER_LOCK = 4_826_190_356;

const turnStatement = sql('take_turn', `select pg_try_advisory_xact_lock(${SCHEDULER_LOCK}) as is_ours`);

/** True when this server does the tick; the lock ends with the transaction. */
export const takeTurn = async (tx: Queryable): Promise<boolean> =>
  (await tx.query<{ is_ours: boolean }>(turnStatement))[0]?.is_ours === true;

const tickStatement = sql(
  'note_tick',
  `with before as (select last_run_at from scheduler)
   update scheduler set last_run_at = now()
   returning extract(epoch from now() - (select last_run_at from before))::real * 1000 as gap_ms`,
);

/** Notes that a scheduler lives. @returns milliseconds since one did last; below zero when the clock was set back */
export const noteTick = async (tx: Queryable): Promise<number> =>
  (await tx.query<{ gap_ms: number }>(tickStatement))[0]?.gap_ms ?? 0;

const graceStatement = sql(
  'grant_grace',
  `with hosts_excused as (
     update hosts set last_seen_at = now() where status = 1
   ), queue_excused as (
     update tasks set state_since = least(now(), state_since + $2 * interval '1 millisecond'),
       available_at = available_at + least(0, $2) * interval '1 millisecond'
     where finished_at is null and status = 1 and ($2 > 0 or state_since > now())
   )
   update task_leases set
     expires_at = greatest(now() + $1 * interval '1 millisecond',
       expires_at + case when $2 < 0 then $2 else 0 end * interval '1 millisecond'),
     deadline_at = greatest(now() + $1 * interval '1 millisecond',
       deadline_at + case when $2 < 0 and deadline_at > now() - $2 * interval '1 millisecond' then $2 else 0 end
         * interval '1 millisecond')`,
);

/**
 * Nobody could report while no server was up: every host and every lease gets a fresh start, and the gap does not count as
 * time in a queue. A gap below zero is a clock that was set back: what was counted on the old time follows, or it would last
 * that much longer. What was written since the clock was set is told by its distance and left alone.
 * @param gapMs as `noteTick` told
 */
export const grantGrace = async (tx: Queryable, gapMs: number): Promise<void> => {
  await tx.query(graceStatement, [LEASE_MS, Math.round(gapMs)]);
};

const lostStatement = sql(
  'mark_lost_hosts',
  `update hosts set status = 2, updated_at = now()
   where status = 1 and last_seen_at < now() - $1 * interval '1 millisecond'
   returning id, name`,
);

export const markLostHosts = (tx: Queryable): Promise<{ id: string; name: string }[]> =>
  tx.query(lostStatement, [HOST_LOST_MS]);

const unreachableStatement = sql(
  'mark_unreachable_terminals',
  `update terminals set status = 10, status_reason = 'The host is silent. The terminal may still be running there.',
     status_changed_at = now(), updated_at = now()
   where host_id = any($1::uuid[]) and deleted_at is null and status between 1 and 6
   returning user_id, host_id`,
);

/** @returns the owners, with the host that each one's terminals stand on */
export const markUnreachableTerminals = (
  tx: Queryable,
  hostIds: string[],
): Promise<{ user_id: string; host_id: string }[]> => tx.query(unreachableStatement, [hostIds]);

const expiredStatement = sql(
  'list_expired_leases',
  `select l.task_id, l.expires_at < now() as is_lease_lost
   from task_leases l
   where l.expires_at < now() or l.deadline_at < now()
   limit $1`,
);

export const listExpiredLeases = (
  tx: Queryable,
  limit: number,
): Promise<{ task_id: string; is_lease_lost: boolean }[]> => tx.query(expiredStatement, [limit]);

const orphanStatement = sql(
  'delete_orphaned_leases',
  `delete from task_leases l using tasks t where t.id = l.task_id and t.status not in (2, 3)`,
);

/** A lease without an attempt would block its terminal for ever. None should exist; this is the net. */
export const deleteOrphanedLeases = async (tx: Queryable): Promise<void> => {
  await tx.query(orphanStatement);
};

/**
 * The head of each terminal's queue, found by leaping from terminal to terminal in the index of open tasks: the cost grows
 * with the terminals that have work, not with the tasks that wait.
 */
const headsSql = `with recursive places as (
     (select host_id, terminal_id from tasks where finished_at is null and host_id is not null
      order by host_id, terminal_id limit 1)
     union all
     select n.host_id, n.terminal_id from places p cross join lateral (
       select host_id, terminal_id from tasks
       where finished_at is null and (host_id, terminal_id) > (p.host_id, p.terminal_id)
       order by host_id, terminal_id limit 1
     ) n
   ), heads as (
     select h.* from places p cross join lateral (
       select id, host_id, terminal_id, status, available_at, state_since from tasks t
       where t.host_id = p.host_id and t.terminal_id = p.terminal_id and t.finished_at is null
         and (t.planned_at is null or t.planned_at <= now())
       order by t.seq limit 1
     ) h
   )`;

const promoteStatement = sql(
  'promote_tasks',
  `${headsSql}, promoted as (
     update tasks t set status = 1, actor = 'service', state_since = now(), updated_at = now()
     from heads h where t.id = h.id and h.status = 0 and t.status = 0
       and not exists (select from task_leases l where l.terminal_id = h.terminal_id)
   )
   select distinct host_id from heads h
   where h.status = 0 or (h.status = 1 and coalesce(h.available_at, h.state_since) between now() - interval '5 seconds' and now())`,
);

/** PENDING → QUEUED for what is due and has its turn. @returns the hosts that have something to claim */
export const promoteTasks = async (tx: Queryable): Promise<string[]> =>
  (await tx.query<{ host_id: string }>(promoteStatement)).map((row) => row.host_id);

const overdueStatement = sql(
  'fail_overdue_tasks',
  `update tasks set status = 5, actor = 'service', sealed = null, finished_at = now(), state_since = now(), updated_at = now(),
     result = $2
   where finished_at is null and status = 1 and greatest(state_since, coalesce(available_at, state_since)) < now() - $1 * interval '1 millisecond'
   returning id, user_id, terminal_id, type`,
);

export interface OverdueTask {
  id: string;
  user_id: string;
  terminal_id: string;
  type: number;
}

/** What no host claimed in an hour fails. */
export const failOverdueTasks = (tx: Queryable, result: object): Promise<OverdueTask[]> =>
  tx.query<OverdueTask>(overdueStatement, [QUEUED_DEADLINE_MS, JSON.stringify(result)]);

const hostlessStatement = sql(
  'list_hostless_destructions',
  `select id from terminals where status = 8 and host_id is null and deleted_at is null limit 500`,
);

/** Terminals to destroy whose host is gone: there is nothing left to remove. */
export const listHostlessDestructions = async (tx: Queryable): Promise<string[]> =>
  (await tx.query<{ id: string }>(hostlessStatement)).map((row) => row.id);

const stuckStatement = sql(
  'list_stuck_destructions',
  `select id, user_id from terminals tm
   where status = 8 and host_id is not null and deleted_at is null and updated_at < now() - interval '1 minute'
     and not exists (
       select from tasks t where t.host_id = tm.host_id and t.terminal_id = tm.id and t.finished_at is null
     )
     and not exists (
       select from tasks t where t.terminal_id = tm.id and t.type = 1 and t.finished_at > now() - interval '5 minutes'
     )
   limit 500`,
);

/** Terminals that wait for a destruction that failed: it is tried again every few minutes. */
export const listStuckDestructions = (tx: Queryable): Promise<{ id: string; user_id: string }[]> =>
  tx.query(stuckStatement);

/** Lateral and by `offset 0`: from the open tasks to their terminals, never through all terminals. */
const leftoverStatement = sql(
  'cancel_leftover_tasks',
  `update tasks t set status = 6, actor = 'service', sealed = null, finished_at = now(), state_since = now(), updated_at = now(),
     result = $1
   from tasks o cross join lateral (select status, deleted_at from terminals where id = o.terminal_id offset 0) tm
   where t.id = o.id and o.finished_at is null and t.finished_at is null and t.status in (0, 1)
     and (tm.deleted_at is not null or (tm.status = 8 and t.type <> 1))`,
);

/** Tasks that slipped in while their terminal was being destroyed. */
export const cancelLeftoverTasks = async (tx: Queryable, result: object): Promise<void> => {
  await tx.query(leftoverStatement, [JSON.stringify(result)]);
};
