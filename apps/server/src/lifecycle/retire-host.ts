import { ResultStatus, TaskType, TerminalStatus, toServiceResult } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { sql, type Database, type Queryable } from '../db/database.ts';
import type { HostWakeups } from '../hosts/wakeups.ts';
import type { TaskInbox } from '../tasks/inbox.ts';
import { assignWaitingTerminals, countWaitingOf, RETIRED_REASON } from './waiting.ts';

/** Placed right away when a host was retired; the scheduler goes on with the others. */
const MAX_ASSIGNED = 500;

const retireStatement = sql(
  'retire_host',
  `update hosts set status = 3, credential_hash = null, session_id = null, terminal_count = 0, updated_at = now()
   where id = $1 and status <> 3 returning id`,
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
  `update terminals set host_id = null, path = null, status = case when status = 8 then 8 else 0 end,
     waiting_since = case when status <> 8 then now() - (select time_lost from scheduler) end,
     status_reason = case when status <> 8 then $2 end, status_changed_at = now(), updated_at = now()
   where host_id = $1 and deleted_at is null
   returning id, user_id, status, exists (
     select from tasks t where t.host_id is null and t.terminal_id = terminals.id and t.finished_at is null and t.type = 0
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

const reinstall = async (
  { inbox }: Pick<HostRetirementParts, 'inbox'>,
  tx: Queryable,
  terminals: readonly DetachedTerminal[],
): Promise<void> => {
  for (const { id, user_id: userId, status, is_install_queued: isQueued } of terminals) {
    if (status !== TerminalStatus.PENDING || isQueued) continue;
    const order = { userId, terminalId: id, type: TaskType.TERMINAL_INSTALL, payload: {}, actor: 'service' } as const;
    await inbox.addWithin(tx, order);
  }
};

export interface HostRetirementParts {
  db: Database;
  inbox: Pick<TaskInbox, 'addWithin'>;
  wakeups: Pick<HostWakeups, 'wake'>;
  clock: Clock;
}

/**
 * The operator's word that a host is dead and stays dead: its credential is revoked, what it had in hand is terminated, its
 * terminals are installed on other hosts; those being destroyed are swept up by the scheduler. Never done by the service
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
    await reinstall(parts, tx, terminals);
    return terminals.map(({ id }) => id);
  });
  if (!detached) return undefined;
  wakeups.wake(await db.transaction((tx) => assignWaitingTerminals(tx, MAX_ASSIGNED)));
  return { waitingTerminals: await countWaitingOf(db.slow, detached) };
};
