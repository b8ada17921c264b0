import { HostStatus, ResultStatus, TerminalStatus, toServiceResult } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { recordAudit, type Actor } from '../audit/record.ts';
import { sql, type Database, type Queryable, type Transaction } from '../db/database.ts';
import type { HostWakeups } from '../hosts/wakeups.ts';
import type { EndedTask, TaskEnds } from '../tasks/ends.ts';
import { terminateStatement } from '../tasks/transitions.ts';
import { noteTransitions, type TerminalTransition } from '../terminals/changes.ts';
import { detachStatement } from '../terminals/transitions.ts';
import { cancelStops, lockDrains } from './drain.ts';
import { endMovesFrom, endTasksOfMovesTo, returnFromRetired } from './move-interruptions.ts';
import { reinstallWithin } from './restoration.ts';
import { assignWaitingTerminals, countWaitingOf, RETIRED_REASON } from './waiting.ts';

/** Placed immediately when a host is retired; the scheduler places the rest. */
const MAX_ASSIGNED = 500;

const retireStatement = sql(
  'retire_host',
  `update hosts set status = ${HostStatus.RETIRED}, credential_hash = null, session_id = null, terminal_count = 0,
     cordoned_at = null, drain_started_at = null, drain_terminals = null, drain_deadline_at = null, updated_at = now()
   where id = $1 and status <> ${HostStatus.RETIRED} returning name`,
);

const releaseLeasesStatement = sql('release_leases_of_host', `delete from task_leases where host_id = $1`);

const detachTasksStatement = sql(
  'detach_tasks_of_host',
  `update tasks set host_id = null where host_id = $1 and finished_at is null`,
);

interface DetachedTerminal extends TerminalTransition {
  /** Its installation was still waiting; it continues elsewhere. */
  is_install_queued: boolean;
}

export interface HostRetirementParts {
  db: Database;
  ends: TaskEnds;
  wakeups: Pick<HostWakeups, 'wake'>;
  clock: Clock;
}

const detach = async (tx: Transaction, hostId: string, parts: HostRetirementParts): Promise<DetachedTerminal[]> => {
  // Where they go on, they are not stopped.
  await cancelStops(tx, parts, hostId);
  await endMovesFrom(tx, parts, hostId);
  const returning = await endTasksOfMovesTo(tx, parts, hostId);
  const { ends, clock } = parts;
  const now = new Date(clock.now());
  const text = 'The operator retired the host.';
  const result = toServiceResult(ResultStatus.UNKNOWN, 'retire', 'E_HOST_LOST', text, now);
  const ended = await tx.query<EndedTask>(terminateStatement, [JSON.stringify(result), hostId]);
  await tx.query(releaseLeasesStatement, [hostId]);
  await tx.query(detachTasksStatement, [hostId]);
  const detached = await tx.query<DetachedTerminal>(detachStatement, [hostId, RETIRED_REASON]);
  // Last: readers of the log wait for the end of a transaction that wrote events.
  await ends.note(tx, ended, { isQuiet: true });
  await noteTransitions(tx, detached);
  await returnFromRetired(tx, returning);
  return detached.filter(({ id }) => !returning.includes(id));
};

const reinstall = async (tx: Queryable, detached: readonly DetachedTerminal[]): Promise<void> => {
  const terminals = detached.filter(
    ({ status, is_install_queued: isQueued }) => status === TerminalStatus.PENDING && !isQueued,
  );
  await reinstallWithin(tx, terminals);
};

/**
 * The operator declares that a host is dead and stays dead: its credential is revoked, its running tasks are
 * terminated, its terminals are installed on other hosts, with what they were set up with; those being
 * destroyed are cleaned up by the scheduler. The service never does this by itself: a host that only lost its network
 * still trades, and two terminals on one account trade twice.
 * @returns how many of its terminals wait for a host with free capacity; undefined when there is no such host
 */
export const retireHost = async (
  parts: HostRetirementParts,
  hostId: string,
  actor: Actor,
): Promise<{ waitingTerminals: number } | undefined> => {
  const { db, wakeups } = parts;
  const detached = await db.transaction(async (tx) => {
    await lockDrains(tx);
    const [retired] = await tx.query<{ name: string }>(retireStatement, [hostId]);
    if (!retired) return undefined;
    const target = { type: 'host', id: hostId };
    await recordAudit(tx, actor, { action: 'host.retire', target, userId: null, before: retired });
    const terminals = await detach(tx, hostId, parts);
    await reinstall(tx, terminals);
    return terminals.map(({ id }) => id);
  });
  if (!detached) return undefined;
  wakeups.wake(await db.transaction((tx) => assignWaitingTerminals(tx, MAX_ASSIGNED)));
  return { waitingTerminals: await countWaitingOf(db.slow, detached) };
};
