/**
 * Terminals get back what they were set up with: new ones from a snapshot, and those of a retired host from their setup.
 * Ordinary tasks do it, which are created in one transaction with the installation and wait behind it.
 */
import { TaskType } from '@berth/contract';
import type { Queryable, Transaction } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import { ValidationError } from '../errors.ts';
import { readSetups } from '../snapshots/noting.ts';
import {
  createFileFinder,
  findSnapshotContent,
  insertRestoration,
  listSetupsToRestore,
  noteSetups,
} from '../snapshots/queries.ts';
import { toRestoration, type Restoration, type RestoringTask } from '../snapshots/restoring.ts';
import { createTasks, type TaskCreationParts } from '../tasks/create-task.ts';
import { reinstallStatement } from '../tasks/transitions.ts';
import { unknownSnapshot } from '../validation/unknown-choices.ts';

const HINT = 'Upload the same file again, or take a snapshot that does not need it.';

export interface Restored {
  snapshot_id?: string | undefined;
  allow_algo_trading?: 0 | 1 | undefined;
}

/**
 * What a new terminal gets from a snapshot; undefined: it is made from none.
 * @throws ValidationError on `snapshot_id` where the user has no such snapshot, or no longer the files that it needs
 */
export const findRestoration = async (
  db: Queryable,
  userId: string,
  { snapshot_id: id, allow_algo_trading: allowed }: Restored,
): Promise<Restoration | undefined> => {
  if (id === undefined) {
    if (allowed === undefined) return undefined;
    throw ValidationError.of('allow_algo_trading', 'The allow algo trading field needs a snapshot_id.');
  }
  const setup = await findSnapshotContent(db, userId, id);
  if (!setup) throw unknownSnapshot();
  const findFile = await createFileFinder(db, [userId], [setup]);
  const restoration = toRestoration(setup, (file) => findFile(userId, file));
  const [first, ...others] = restoration.missing;
  if (first === undefined) return { ...restoration, canTrade: restoration.canTrade && allowed === 1 };
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  throw ValidationError.of('snapshot_id', `The snapshot needs a file that was deleted: of ${first}${more}.`, HINT);
};

/**
 * Creates the tasks of a new terminal behind its installation.
 * @throws ValidationError on `snapshot_id` where a file was deleted since, or is not for the platform of the terminal
 */
export const restoreWithin = async (
  tx: Transaction,
  parts: TaskCreationParts,
  { userId, terminalId, installId }: { userId: string; terminalId: string; installId: string },
  { tasks, canTrade }: Restoration,
): Promise<void> => {
  const requests = tasks.map((task) => ({ ...task, userId, terminalId }));
  const outcomes = await createTasks(tx, parts, requests).catch((error: unknown) => {
    if (!(error instanceof ValidationError)) throw error;
    const [text = ''] = Object.values(error.toBody().errors).flat();
    throw ValidationError.of('snapshot_id', `The snapshot cannot be used for this terminal. ${text}`);
  });
  const ids = outcomes.map((outcome) => {
    if (outcome.kind === 'created') return outcome.id;
    throw new Error('a new terminal refused a task of its snapshot');
  });
  if (canTrade) await insertRestoration(tx, terminalId, [installId, ...ids]);
};

/** Terminals whose setups are in memory at a time. */
const MAX_TERMINALS_PER_BATCH = 50;

interface Detached {
  id: string;
  user_id: string;
}

interface Place {
  terminalId: string;
  userId: string;
  /** In their order: the installation first. */
  tasks: (RestoringTask & { id: string })[];
}

/** From the last to the first, because each is put in front of what waits. */
const insertAll = async (tx: Queryable, places: readonly Place[]): Promise<void> => {
  const longest = Math.max(0, ...places.map(({ tasks }) => tasks.length));
  for (let fromEnd = 1; fromEnd <= longest; fromEnd += 1) {
    const rows = places.flatMap(({ terminalId, userId, tasks }) => {
      const task = tasks.at(-fromEnd);
      return task ? [{ ...task, terminalId, userId }] : [];
    });
    await tx.query(reinstallStatement, [
      rows.map(({ id }) => id),
      rows.map(({ userId }) => userId),
      rows.map(({ terminalId }) => terminalId),
      rows.map(({ type }) => type),
      rows.map(({ payload }) => JSON.stringify(payload)),
    ]);
  }
};

/** What the user's terminal would get elsewhere. */
export const readRestoration = async (tx: Queryable, userId: string, terminalId: string): Promise<Restoration> => {
  const setup = (await readSetups(tx, [terminalId])).get(terminalId)!;
  const findFile = await createFileFinder(tx, [userId], [setup]);
  return toRestoration(setup, (file) => findFile(userId, file));
};

/** Puts one task in front of what waits on a terminal without a host. @returns its id */
export const insertFirst = async (tx: Queryable, { id: terminalId, user_id: userId }: Detached, type: TaskType) => {
  const id = createId();
  await insertAll(tx, [{ terminalId, userId, tasks: [{ id, type, payload: {} }] }]);
  return id;
};

const reinstallBatch = async (tx: Queryable, terminals: readonly Detached[]): Promise<Place[]> => {
  const ids = terminals.map(({ id }) => id);
  // Of terminals that are older than their setup, it is written now.
  const setups = [...(await readSetups(tx, ids))];
  await noteSetups(
    tx,
    setups.map(([terminalId, setup]) => ({ terminalId, setup, snapshotId: null })),
  );
  const found = new Map((await listSetupsToRestore(tx, ids)).map((row) => [row.terminal_id, row]));
  const findFile = await createFileFinder(
    tx,
    [...new Set(terminals.map(({ user_id: userId }) => userId))],
    [...found.values()].map(({ content }) => content),
  );
  const places: Place[] = [];
  for (const { id: terminalId, user_id: userId } of terminals) {
    const setup = found.get(terminalId);
    const restoration = setup && toRestoration(setup.content, (file) => findFile(userId, file));
    const install = { type: TaskType.TERMINAL_INSTALL, payload: {} };
    const tasks = [install, ...(restoration?.tasks ?? [])].map((task) => ({ ...task, id: createId() }));
    places.push({ terminalId, userId, tasks });
    if (restoration?.canTrade !== true || !setup?.was_trading) continue;
    await insertRestoration(
      tx,
      terminalId,
      tasks.map(({ id }) => id),
    );
  }
  await insertAll(tx, places);
  return places;
};

/**
 * Installs terminals again that lost their host, with what they were set up with, before anything else that waits for
 * them. An expert whose file was deleted is left out. Algo trading comes back only where it was certainly on, and
 * everything else is back.
 * @returns the ids of the tasks, by terminal
 */
export const reinstallWithin = async (
  tx: Queryable,
  terminals: readonly Detached[],
): Promise<Map<string, string[]>> => {
  const created = new Map<string, string[]>();
  for (let start = 0; start < terminals.length; start += MAX_TERMINALS_PER_BATCH) {
    for (const { terminalId, tasks } of await reinstallBatch(
      tx,
      terminals.slice(start, start + MAX_TERMINALS_PER_BATCH),
    )) {
      created.set(
        terminalId,
        tasks.map(({ id }) => id),
      );
    }
  }
  return created;
};
