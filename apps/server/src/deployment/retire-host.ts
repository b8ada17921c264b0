import { HostStatus, ResultStatus, TerminalStatus, toServiceResult } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { sql, type Database, type Queryable, type Transaction } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import type { HostWakeups } from '../hosts/wakeups.ts';
import type { EndedTask, TaskEnds } from '../tasks/ends.ts';
import { reinstallStatement, terminateStatement } from '../tasks/move-statements.ts';
import { noteMoved, type MovedTerminal } from '../terminals/changes.ts';
import { detachStatement } from '../terminals/move-statements.ts';
import { assignWaitingTerminals, countWaitingOf, RETIRED_REASON } from './waiting.ts';

/** Placed immediately when a host is retired; the scheduler places the rest. */
const MAX_ASSIGNED = 500;

const retireStatement = sql(
  'retire_host',
  `update hosts set status = ${HostStatus.RETIRED}, credential_hash = null, session_id = null, terminal_count = 0, updated_at = now()
   where id = $1 and status <> ${HostStatus.RETIRED} returning id`,
);

const releaseLeasesStatement = sql('release_leases_of_host', `delete from task_leases where host_id = $1`);

const detachTasksStatement = sql(
  'detach_tasks_of_host',
  `update tasks set host_id = null where host_id = $1 and finished_at is null`,
);

interface DetachedTerminal extends MovedTerminal {
  /** Its installation was still waiting; it continues elsewhere. */
  is_install_queued: boolean;
}

export interface HostRetirementParts {
  db: Database;
  ends: TaskEnds;
  wakeups: Pick<HostWakeups, 'wake'>;
  clock: Clock;
}

const detach = async (
  tx: Transaction,
  hostId: string,
  { ends, clock }: HostRetirementParts,
): Promise<DetachedTerminal[]> => {
  const now = new Date(clock.now());
  const text = 'The operator retired the host.';
  const result = toServiceResult(ResultStatus.UNKNOWN, 'retire', 'E_HOST_LOST', text, now);
  const ended = await tx.query<EndedTask>(terminateStatement, [JSON.stringify(result), hostId]);
  await tx.query(releaseLeasesStatement, [hostId]);
  await tx.query(detachTasksStatement, [hostId]);
  const detached = await tx.query<DetachedTerminal>(detachStatement, [hostId, RETIRED_REASON]);
  // Last: readers of the log wait for the end of a transaction that wrote events.
  await ends.note(tx, ended, { isQuiet: true });
  await noteMoved(tx, detached);
  return detached;
};

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

/**
 * The operator declares that a host is dead and stays dead: its credential is revoked, its running tasks are
 * terminated, its terminals are installed on other hosts before anything else that waits for them; those being
 * destroyed are cleaned up by the scheduler. The service never does this by itself: a host that only lost its network
 * still trades, and two terminals on one account trade twice.
 * @returns how many of its terminals wait for a host with free capacity; undefined when there is no such host
 */
export const retireHost = async (
  parts: HostRetirementParts,
  hostId: string,
): Promise<{ waitingTerminals: number } | undefined> => {
  const { db, wakeups } = parts;
  const detached = await db.transaction(async (tx) => {
    const retired = await tx.query(retireStatement, [hostId]);
    if (retired.length === 0) return undefined;
    const terminals = await detach(tx, hostId, parts);
    await reinstall(tx, terminals);
    return terminals.map(({ id }) => id);
  });
  if (!detached) return undefined;
  wakeups.wake(await db.transaction((tx) => assignWaitingTerminals(tx, MAX_ASSIGNED)));
  return { waitingTerminals: await countWaitingOf(db.slow, detached) };
};
