/** Notes what ended tasks set up on their terminals. */
import { isDeepStrictEqual } from 'node:util';
import type { TaskStatus, TaskType } from '@berth/contract';
import type { Queryable } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import { listReportedFiles } from '../files/queries.ts';
import { listFormerTasks, listSetups, noteSetups } from './queries.ts';
import { EMPTY_SETUP, isSameSetup, setupTypes, toSetupAfter, type Setup, type SetupTask } from './setup.ts';

/** A task that ended. */
export interface EndedSetupTask {
  id: string;
  userId: string;
  terminalId: string;
  type: TaskType;
  status: TaskStatus;
  payload: Record<string, unknown>;
  /** A fact of its last step. */
  chartId: unknown;
}

/**
 * The setups of terminals; of those that have none yet, what is kept of their tasks says it. Lock the terminals before.
 * @param without tasks that do not count yet
 */
const findSetups = async (tx: Queryable, terminalIds: readonly string[], without: readonly string[]) => {
  const stored = await listSetups(tx, terminalIds);
  const unknown = terminalIds.filter((id) => !stored.has(id));
  const setups = new Map([...stored, ...unknown.map((id) => [id, EMPTY_SETUP] as const)]);
  const former = unknown.length === 0 ? [] : await listFormerTasks(tx, unknown, without);
  for (const task of former) setups.set(task.terminal_id, toSetupAfter(setups.get(task.terminal_id)!, task));
  return { setups, stored };
};

/** The setups of terminals. Lock the terminals before. */
export const readSetups = async (tx: Queryable, terminalIds: readonly string[]): Promise<Map<string, Setup>> =>
  (await findSetups(tx, terminalIds, [])).setups;

const toFileId = ({ file_id: id }: Record<string, unknown>): string => (typeof id === 'string' ? id.toLowerCase() : '');

const toSetupTasks = async (tx: Queryable, ended: readonly EndedSetupTask[]): Promise<SetupTask[]> => {
  const ids = ended.map(({ payload }) => toFileId(payload)).filter((id) => id !== '');
  const files = await listReportedFiles(tx, ids);
  return ended.map(({ userId, type, status, payload, chartId }) => {
    const found = files.get(toFileId(payload));
    const file = found?.user_id === userId ? { id: found.id, sha256: found.sha256 } : null;
    return { type, status, payload, chartId: typeof chartId === 'string' ? chartId : null, file };
  });
};

/** Notes the setups after these tasks, in their order, with a snapshot of each that changed. Lock the terminals before. */
export const noteSetupTasks = async (tx: Queryable, all: readonly EndedSetupTask[]): Promise<void> => {
  const ended = all.filter(({ type }) => setupTypes.includes(type));
  if (ended.length === 0) return;
  const terminalIds = [...new Set(ended.map(({ terminalId }) => terminalId))].sort();
  const endedIds = ended.map(({ id }) => id);
  const { setups: before, stored } = await findSetups(tx, terminalIds, endedIds);
  const after = new Map(before);
  for (const [index, task] of (await toSetupTasks(tx, ended)).entries()) {
    const { terminalId } = ended[index]!;
    after.set(terminalId, toSetupAfter(after.get(terminalId)!, task));
  }
  const noted = [...after].filter(([id, setup]) => !isDeepStrictEqual(stored.get(id), setup));
  await noteSetups(
    tx,
    noted.map(([terminalId, setup]) => {
      return { terminalId, setup, snapshotId: isSameSetup(before.get(terminalId)!, setup) ? null : createId() };
    }),
  );
};
