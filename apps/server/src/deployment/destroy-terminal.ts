import { ResultStatus, TaskType, TerminalStatus, toServiceResult } from '@berth/contract';
import type { Clock } from '@berth/kit';
import type { Transaction } from '../db/database.ts';
import type { TaskEnds } from '../tasks/ends.ts';
import { cancelOpenStatement } from '../tasks/transitions.ts';
import { TerminalChanges } from '../terminals/changes.ts';
import { lockOwnTerminal } from '../terminals/queries.ts';
import { createServiceTask, type TaskCreationParts, type TaskOutcome } from '../tasks/create-task.ts';
import { endMoveOf } from './move-interruptions.ts';

export type Destruction =
  | { kind: 'not_found' }
  /** It was requested before; nothing new was started. */
  | { kind: 'under_way' }
  | { kind: 'started'; task: TaskOutcome | undefined };

export interface DestructionParts extends TaskCreationParts {
  ends: TaskEnds;
  clock: Clock;
}

/**
 * Starts to destroy a terminal: tasks that no host has yet are canceled, and TERMINAL_DESTROY is queued behind the
 * running one. A terminal that never got a host is gone at once, without a task.
 */
export const destroyWithin = async (
  tx: Transaction,
  parts: DestructionParts,
  userId: string,
  terminalId: string,
): Promise<Destruction> => {
  const terminal = await lockOwnTerminal(tx, userId, terminalId);
  if (!terminal) return { kind: 'not_found' };
  if (terminal.status === TerminalStatus.DESTROYING) return { kind: 'under_way' };
  const hostId = await endMoveOf(tx, terminal);
  const now = new Date(parts.clock.now());
  const text = 'The terminal is being destroyed.';
  const result = toServiceResult(ResultStatus.REFUSED, 'cancel', 'E_NOT_RUNNING', text, now);
  await parts.ends.end(tx, cancelOpenStatement, [JSON.stringify(result), terminalId]);
  const changes = await TerminalChanges.lock(tx, [terminalId]);
  changes.conclude(terminalId, TerminalStatus.DESTROYING, null);
  if (hostId === null) changes.conclude(terminalId, TerminalStatus.DESTROYED, null);
  await changes.write();
  if (hostId === null) return { kind: 'started', task: undefined };
  const task = await createServiceTask(tx, parts, { userId, terminalId, type: TaskType.TERMINAL_DESTROY });
  return { kind: 'started', task };
};
