import { sql, type Database, type Queryable } from '../db/database.ts';
import { RETIRED_REASON } from './waiting.ts';

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

export interface DetachedTerminal {
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
 * The operator's word that a host is dead and stays dead: its credential is revoked, what it had in hand is terminated,
 * its terminals wait for another host. Never done by the service itself: a host that only lost its network still trades,
 * and two terminals on one account trade twice.
 * @param onDetached what else belongs into the same transaction
 * @returns false when there is no such host
 */
export const retireHost = async (
  db: Database,
  hostId: string,
  terminated: object,
  onDetached: (tx: Queryable, terminals: DetachedTerminal[]) => Promise<void>,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    const retired = await tx.query(retireStatement, [hostId]);
    if (retired.length === 0) return false;
    await onDetached(tx, await detach(tx, hostId, terminated));
    return true;
  });
