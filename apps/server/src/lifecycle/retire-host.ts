import { HostStatus, ResultStatus, TaskType, TerminalStatus, toServiceResult } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { v7 as createId } from 'uuid';
import { sql, type Database, type Queryable } from '../db/database.ts';
import type { HostWakeups } from '../hosts/wakeups.ts';
import { assignWaitingTerminals, countWaitingOf, RETIRED_REASON } from './waiting.ts';

/** Placed right away when a host was retired; the scheduler goes on with the others. */
const MAX_ASSIGNED = 500;

const retireStatement = sql(
  'retire_host',
  `update hosts set status = ${HostStatus.RETIRED}, credential_hash = null, session_id = null, terminal_count = 0, updated_at = now()
   where id = $1 and status <> ${HostStatus.RETIRED} returning id`,
);

const releaseTasksStatement = sql(
  'release_tasks_of_host',
  `with released as (delete from task_leases where host_id = $1)
   update tasks set status = 7, actor = 'operator', sealed = null, finished_at = now(), state_since = now(), updated_at = now(),
     result = $2
   where host_id = $1 and finished_at is null and status in (2, 3)`,
);

const detachTasksStatement = sql(
  'detach_tasks_of_host',
  `update tasks set host_id = null where host_id = $1 and finished_at is null`,
);

const detachTerminalsStatement = sql(
  'detach_terminals_of_host',
  `update terminals set host_id = null, path = null, status = case when status = ${TerminalStatus.DESTROYING} then ${TerminalStatus.DESTROYING} else ${TerminalStatus.PENDING} end,
     waiting_since = case when status <> ${TerminalStatus.DESTROYING} then now() - (select time_lost from scheduler) end,
     status_reason = case when status <> ${TerminalStatus.DESTROYING} then $2 end, status_changed_at = now(), updated_at = now()
   where host_id = $1 and deleted_at is null
   returning id, user_id, status, exists (
     select from tasks t where t.host_id is null and t.terminal_id = terminals.id and t.finished_at is null
       and t.type = ${TaskType.TERMINAL_INSTALL}
   ) as is_install_queued`,
);

interface DetachedTerminal {
  id: string;
  user_id: string;
  status: number;
  /** Its installation was still waiting; it goes on elsewhere. */
  is_install_queued: boolean;
}

const detach = async (tx: Queryable, hostId: string, terminated: object): Promise<DetachedTerminal[]> => {
  await tx.query(releaseTasksStatement, [hostId, JSON.stringify(terminated)]);
  await tx.query(detachTasksStatement, [hostId]);
  return tx.query<DetachedTerminal>(detachTerminalsStatement, [hostId, RETIRED_REASON]);
};

/**
 * In front of what waits on the terminal already, because a queue is carried out in the order of `seq`: the highest number
 * below the waiting ones that no other task of the terminal has. Of tasks on different terminals the order means nothing.
 */
const reinstallStatement = sql(
  'insert_reinstallations',
  `insert into tasks (id, seq, user_id, terminal_id, type, actor) overriding system value
   select n.id, coalesce(place.seq, nextval(pg_get_serial_sequence('tasks', 'seq'))), n.user_id, n.terminal_id,
     ${TaskType.TERMINAL_INSTALL}, 'service'
   from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as n (id, user_id, terminal_id)
   cross join lateral (
     with recursive free as (
       select min(seq) - 1 as seq from tasks where terminal_id = n.terminal_id and finished_at is null
       union all
       select f.seq - 1 from free f where exists (select from tasks where terminal_id = n.terminal_id and seq = f.seq)
     )
     select min(seq) as seq from free
   ) place`,
);

const reinstall = async (tx: Queryable, detached: readonly DetachedTerminal[]): Promise<void> => {
  const terminals = detached.filter(
    ({ status, is_install_queued: isQueued }) => status === TerminalStatus.PENDING && !isQueued,
  );
  if (terminals.length === 0) return;
  await tx.query(reinstallStatement, [
    terminals.map(() => createId()),
    terminals.map(({ user_id: userId }) => userId),
    terminals.map(({ id }) => id),
  ]);
};

export interface HostRetirementParts {
  db: Database;
  wakeups: Pick<HostWakeups, 'wake'>;
  clock: Clock;
}

/**
 * The operator's word that a host is dead and stays dead: its credential is revoked, what it had in hand is terminated, its
 * terminals are installed on other hosts before anything else that waits for them; those being destroyed are swept up by the scheduler. Never done by the service
 * itself: a host that only lost its network still trades, and two terminals on one account trade twice.
 * @returns how many of its terminals wait for a host with free capacity; undefined when there is no such host
 */
export const retireHost = async (
  parts: HostRetirementParts,
  hostId: string,
): Promise<{ waitingTerminals: number } | undefined> => {
  const { db, wakeups, clock } = parts;
  const now = new Date(clock.now());
  const text = 'The operator retired the host.';
  const terminated = toServiceResult(ResultStatus.UNKNOWN, 'retire', 'E_HOST_LOST', text, now);
  const detached = await db.transaction(async (tx) => {
    const retired = await tx.query(retireStatement, [hostId]);
    if (retired.length === 0) return undefined;
    const terminals = await detach(tx, hostId, terminated);
    await reinstall(tx, terminals);
    return terminals.map(({ id }) => id);
  });
  if (!detached) return undefined;
  wakeups.wake(await db.transaction((tx) => assignWaitingTerminals(tx, MAX_ASSIGNED)));
  return { waitingTerminals: await countWaitingOf(db.slow, detached) };
};
