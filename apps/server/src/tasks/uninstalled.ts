/** Ends the tasks that wait for the installation of a terminal when that installation fails. */
import { ResultStatus, toServiceResult } from '@berth/contract';
import type { Transaction } from '../db/database.ts';
import type { TerminalChanges } from '../terminals/changes.ts';
import { listMoving } from '../terminals/moves.ts';
import type { TaskEnds } from './ends.ts';
import { failWaitingStatement } from './transitions.ts';

/** At most this many tasks are ended in one transaction; the rest is tidied up (`scheduler/tidying.ts`). */
export const MAX_FAILED = 1_000;

/** A terminal that will not be installed, and why. */
export interface UninstalledTerminal {
  id: string;
  reason: string | null;
}

/** The result of tasks that waited for the installation of a terminal. */
const toUninstalledResult = (reason: string | null, now: Date): string => {
  const text = `The terminal was not installed: ${reason ?? 'the installation failed.'}`;
  return JSON.stringify(toServiceResult(ResultStatus.FAILED, 'wait', 'E_NOT_RUNNING', text, now));
};

/** Fails the tasks that waited for the installation of these terminals, which failed. @returns how many */
export const failWaitingTasks = async (
  { tx, ends, now }: { tx: Transaction; ends: TaskEnds; now: Date },
  terminals: readonly UninstalledTerminal[],
): Promise<number> => {
  if (terminals.length === 0) return 0;
  const results = terminals.map(({ reason }) => toUninstalledResult(reason, now));
  return (await ends.end(tx, failWaitingStatement, [terminals.map(({ id }) => id), results, MAX_FAILED])).length;
};

/**
 * Installations that failed: their terminals fail, and so do the tasks that waited for them. The caller has not written
 * the terminals yet.
 */
export const giveUpInstallations = async (
  context: { tx: Transaction; ends: TaskEnds; terminals: TerminalChanges; now: Date },
  uninstalled: readonly { id: string; reason: string }[],
): Promise<void> => {
  // One that is being moved goes back.
  const moving = await listMoving(
    context.tx,
    uninstalled.map(({ id }) => id),
  );
  const gone = uninstalled.filter(
    ({ id, reason }) => !moving.has(id) && context.terminals.giveUpInstallation(id, reason),
  );
  await failWaitingTasks(context, gone);
};
