/** Ends the tasks that wait for the installation of a terminal when that installation fails. */
import { ResultStatus, TaskStatus, TerminalStatus, toServiceResult } from '@berth/contract';
import { sql, type Queryable, type Transaction } from '../db/database.ts';
import type { TerminalChanges } from '../terminals/changes.ts';
import type { TaskEnds } from './ends.ts';
import { failWaitingStatement } from './move-statements.ts';

const { PENDING, QUEUED } = TaskStatus;

/** At most this many tasks of one terminal are ended in one transaction; the scheduler ends the rest. */
const MAX_FAILED = 1_000;

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

/** Fails the tasks that waited for the installation of these terminals, which failed. */
export const failWaitingTasks = async (
  { tx, ends, now }: { tx: Transaction; ends: TaskEnds; now: Date },
  terminals: readonly UninstalledTerminal[],
): Promise<void> => {
  if (terminals.length === 0) return;
  const results = terminals.map(({ reason }) => toUninstalledResult(reason, now));
  await ends.end(tx, failWaitingStatement, [terminals.map(({ id }) => id), results, MAX_FAILED]);
};

const strandedStatement = sql(
  'list_stranding_terminals',
  `select distinct tm.id, tm.status_reason as reason
   from tasks t cross join lateral (select id, status, status_reason from terminals where id = t.terminal_id offset 0) tm
   where t.finished_at is null and t.status in (${PENDING}, ${QUEUED}) and tm.status = ${TerminalStatus.FAILED}
   limit 100`,
);

/** Terminals whose installation failed while a task slipped in, or with more tasks than were failed then. */
export const listStrandingTerminals = (db: Queryable): Promise<UninstalledTerminal[]> =>
  db.query<UninstalledTerminal>(strandedStatement);

/**
 * Installations that failed: their terminals fail, and so do the tasks that waited for them. The caller has not written
 * the terminals yet.
 */
export const giveUpInstallations = async (
  context: { tx: Transaction; ends: TaskEnds; terminals: TerminalChanges; now: Date },
  uninstalled: readonly { id: string; reason: string }[],
): Promise<void> => {
  const gone = uninstalled.filter(({ id, reason }) => context.terminals.giveUpInstallation(id, reason));
  await failWaitingTasks(context, gone);
};
