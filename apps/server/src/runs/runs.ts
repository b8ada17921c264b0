/**
 * Runs: the same task on many terminals, carried on by the service itself. The members are fixed in the transaction
 * that creates the run, so a concurrent deletion hides none of them. Their tasks are created in batches, each in the
 * transaction that records them: a server that is killed at any point loses nothing and creates nothing twice, and
 * another one continues.
 */
import {
  findTaskRefusal,
  isStop,
  MAX_RUN_TERMINALS,
  taskCatalogue,
  TaskType,
  TerminalStatus,
  type BulkRun,
  type BulkRunItem,
} from '@berth/contract';
import type { Clock } from '@berth/kit';
import { recordAudit, type Actor } from '../audit/record.ts';
import { readNow } from '../db/clock.ts';
import type { Creation, Database, Transaction } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import { AppError, ValidationError } from '../errors.ts';
import type { Vault } from '../secrets/vault.ts';
import { countOpenRuns, findSkipReason, insertRun, NOT_FOUND } from './insertion.ts';
import { deleteRun, forgetOldRuns } from './removal.ts';
import { toRunBytes } from '../storage/budget.ts';
import * as runs from './queries.ts';
import { splitSecrets } from '../tasks/payload.ts';
import { listTerminalIds, lockUser, type TerminalFilter } from '../terminals/queries.ts';
import { findLoginWarnings } from '../terminals/same-account.ts';
import {
  assertRoomForTasks,
  createTasks,
  holdOwnFile,
  type RoomParts,
  type TaskCreationParts,
  type TaskOutcome,
} from '../tasks/create-task.ts';
import { destroyWithin, type DestructionParts } from '../deployment/destroy-terminal.ts';
import { toPlan, type Schedule } from './stagger.ts';

/**
 * Open runs of one user, and those of them whose tasks are not created at once. Stops are counted separately, so that
 * nothing blocks them.
 */
export const MAX_OPEN_RUNS = 100;
export const MAX_LARGE_RUNS = 5;
/**
 * What is kept of one user's ended runs: a number of runs, and of their members in total; and the newest runs, whatever
 * their size.
 */
const KEPT = { runs: 1_000, members: 100_000, newest: 10 };
/** Tasks that one transaction creates. */
export const MAX_TASKS_PER_BATCH = 500;
/** Terminals whose destruction one transaction starts: each takes several statements. */
const MAX_DESTROYED_PER_BATCH = 25;
/** The total size of the payloads of one run, in megabytes: each terminal's task has its own copy. */
const MAX_PAYLOADS_MB = 16;

export interface RunParts extends TaskCreationParts, RoomParts {
  db: Pick<Database, 'transactionFor'>;
  vault: Pick<Vault, 'seal' | 'open'>;
  ends: DestructionParts['ends'];
  clock: Clock;
}

export interface RunRequest extends Schedule {
  userId: string;
  type: TaskType;
  /** As `parsePayload` returned it. */
  payload: Record<string, unknown>;
  /** Distinct UUIDs, or all that the filter matches. */
  members: readonly string[] | TerminalFilter;
  maxPayloadsMb?: number;
  /** Terminals that are being installed get the task, too: it waits. Without it they are skipped. */
  isWaiting?: boolean;
  /** What the user has open and stores does not keep an operator from it. */
  isByOperator?: boolean;
}

const assertBounded = ({ payload, maxPayloadsMb = MAX_PAYLOADS_MB }: RunRequest, count: number): void => {
  if (Buffer.byteLength(JSON.stringify(payload)) * count <= maxPayloadsMb * 1024 * 1024) return;
  const limit = maxPayloadsMb === 1 ? '1 megabyte' : `${maxPayloadsMb} megabytes`;
  const text = `The payload field must not be greater than ${limit} for all terminals together. Send it in parts.`;
  throw ValidationError.of('payload', text);
};

const isNamed = (members: RunRequest['members']): members is readonly string[] => Array.isArray(members);

const toPlace = (id: string) => `bulk_runs/${id}/secrets` as const;

/** A filter of a stop may match any number: nobody has the time to divide it. */
const listMembers = async (tx: Transaction, request: RunRequest): Promise<readonly string[]> => {
  const { userId, type, payload, members } = request;
  if (isNamed(members)) return members;
  const limit = isStop(type, payload) ? null : MAX_RUN_TERMINALS + 1;
  const matched = await listTerminalIds(tx, userId, members, limit);
  if (limit === null || matched.length < limit) return matched;
  const text = `The filter field matches more than ${MAX_RUN_TERMINALS} terminals. Narrow it, and start several runs.`;
  throw ValidationError.of('filter', text);
};

interface Begun {
  id: string;
  /** How many of its members are terminals of the user. */
  found: number;
}

/** Inserts a run with its members. @returns undefined where the user has too many open runs */
const insert = async (tx: Transaction, parts: RunParts, request: RunRequest): Promise<Begun | undefined> => {
  const { vault } = parts;
  const { userId, type, payload, staggerSeconds = 0, isWaiting = false, isByOperator = false } = request;
  await lockUser(tx, userId);
  const terminalIds = await listMembers(tx, request);
  const { total, large } = await countOpenRuns(tx, userId, {
    isStopping: isStop(type, payload),
    above: MAX_TASKS_PER_BATCH,
  });
  const hasMany = total >= MAX_OPEN_RUNS || (terminalIds.length > MAX_TASKS_PER_BATCH && large >= MAX_LARGE_RUNS);
  if (hasMany && !isByOperator) return undefined;
  await holdOwnFile(tx, request, terminalIds);
  assertBounded(request, terminalIds.length);
  const runBytes = toRunBytes(payload, terminalIds.length);
  if (!isByOperator) await assertRoomForTasks(parts, request, terminalIds.length, runBytes);
  const id = createId();
  const { shown, secrets } = splitSecrets(taskCatalogue[type], payload);
  const sealed = secrets ? vault.seal(JSON.stringify(secrets), toPlace(id)) : null;
  const plannedAt = toPlan(request, await readNow(tx), terminalIds.length)(0);
  const run = { id, userId, type, payload: shown, sealed, plannedAt, staggerSeconds, terminalIds };
  const found = await insertRun(tx, run, isWaiting ? findTaskRefusal : findSkipReason);
  return { id, found };
};

/** Inserts a run, and creates the tasks of its first terminals. */
const begin = async (tx: Transaction, parts: RunParts, request: RunRequest): Promise<Begun | undefined> => {
  const begun = await insert(tx, parts, request);
  if (!begun) return undefined;
  await forgetOldRuns(tx, request.userId, KEPT);
  await createBatch(tx, parts, begun.id);
  return begun;
};

/**
 * Creates a run, and the tasks of its first terminals.
 * @returns undefined where the user has too many open runs
 * @throws ValidationError; AppError 409 where it selects no terminal of the user, 507 where its tasks have no room
 */
export const createRun = async (
  parts: RunParts,
  request: RunRequest,
  creation: Creation,
): Promise<BulkRun | undefined> =>
  creation.within(async (tx) => {
    const begun = await begin(tx, parts, request);
    if (begun?.found === 0) throw new AppError('nothing_matched');
    return begun && runs.findRun(tx, request.userId, begun.id);
  });

export interface WholeRun {
  /** Null where no task was created: then there is no run. */
  id: string | null;
  /** In the order of the terminals. */
  items: (BulkRunItem & { warnings: string[] })[];
}

/**
 * Creates a run with all of its tasks: its terminals are named, and fit into one batch.
 * @returns undefined where the user has too many open runs
 * @throws as `createRun`, but for terminals that are not the user's
 */
export const createWholeRun = async (
  parts: RunParts,
  request: RunRequest & { members: readonly string[] },
  creation: Creation,
): Promise<WholeRun | undefined> =>
  creation.within(async (tx) => {
    const { userId, members } = request;
    const begun = await begin(tx, parts, request);
    if (!begun) return undefined;
    const page = { page: 1, per_page: members.length, after: [] };
    const items = await runs.listRunItems(tx, userId, begun.id, undefined, page);
    const isEmpty = items.every(({ task_id: taskId }) => taskId === null);
    if (isEmpty) {
      await runs.finishRun(tx, begun.id);
      await deleteRun(tx, userId, begun.id);
    }
    const warnings = await findLoginWarnings(tx, { ...request, terminalIds: members });
    const toWarned = (item: BulkRunItem) => ({ ...item, warnings: [warnings.get(item.terminal_id) ?? []].flat() });
    return { id: isEmpty ? null : begun.id, items: items.map(toWarned) };
  });

const toItem = (number: number, outcome: TaskOutcome, type: TaskType): runs.NotedItem => {
  if (outcome.kind === 'created') return { number, state: 'in_progress', taskId: outcome.id, reason: null };
  if (outcome.kind === 'no_terminal') return { number, state: 'skipped', taskId: null, reason: NOT_FOUND };
  const isPassedOver = findSkipReason(outcome.terminalStatus, type) !== undefined;
  return { number, state: isPassedOver ? 'skipped' : 'failed', taskId: null, reason: outcome.reason };
};

/** The tasks of a batch, or why there are none: the file that they need may be gone. */
const insertTasks = async (
  tx: Transaction,
  parts: RunParts,
  run: runs.TakenRun,
  items: runs.PendingItem[],
): Promise<runs.NotedItem[]> => {
  const secrets =
    run.sealed === null ? {} : (JSON.parse(parts.vault.open(run.sealed, toPlace(run.id))) as Record<string, string>);
  const payload = { ...run.payload, ...secrets };
  const first = run.planned_at === null ? undefined : new Date(run.planned_at);
  const toTime = (number: number): Date | undefined =>
    first && new Date(first.getTime() + (number - 1) * run.stagger_seconds * 1000);
  const tasks = items.map(({ number, terminal_id: terminalId }) => {
    return { userId: run.user_id, terminalId, type: run.type, payload, plannedAt: toTime(number) };
  });
  try {
    const outcomes = await createTasks(tx, parts, tasks);
    return outcomes.map((outcome, index) => toItem(items[index]!.number, outcome, run.type));
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const reason = 'The file that the task needs was deleted.';
    return items.map(({ number }) => ({ number, state: 'failed', taskId: null, reason }));
  }
};

/** Starts to destroy the terminals of a batch: the run follows their destroy tasks. */
const destroyTerminals = async (
  tx: Transaction,
  parts: RunParts,
  { user_id: userId, type }: runs.TakenRun,
  items: runs.PendingItem[],
): Promise<runs.NotedItem[]> => {
  const noted: runs.NotedItem[] = [];
  // In the order of their ids, so that two runs on the same terminals do not deadlock.
  for (const { number, terminal_id: terminalId } of items.toSorted((a, b) =>
    a.terminal_id < b.terminal_id ? -1 : 1,
  )) {
    const begun = await destroyWithin(tx, parts, userId, terminalId);
    const of = { number, taskId: null };
    if (begun.kind === 'not_found') noted.push({ ...of, state: 'skipped', reason: NOT_FOUND });
    else if (begun.kind === 'under_way') {
      const reason = findTaskRefusal(TerminalStatus.DESTROYING, type) ?? null;
      noted.push({ ...of, state: 'skipped', reason });
    } else if (begun.task) noted.push(toItem(number, begun.task, type));
    // A terminal that never had a host is gone at once.
    else noted.push({ ...of, state: 'succeeded', reason: null });
  }
  return noted;
};

/** Creates the tasks of the next terminals of a run. @returns how many terminals were processed */
export const createBatch = async (tx: Transaction, parts: RunParts, id: string): Promise<number> => {
  const run = await runs.takeRun(tx, id);
  if (!run) return 0;
  const isDeletion = run.type === TaskType.TERMINAL_DESTROY;
  const items = await runs.listPendingItems(tx, id, isDeletion ? MAX_DESTROYED_PER_BATCH : MAX_TASKS_PER_BATCH);
  if (items.length === 0) return 0;
  const create = isDeletion ? destroyTerminals : insertTasks;
  await runs.noteItems(tx, id, await create(tx, parts, run, items));
  return items.length;
};

/** No further task of the run is created; those that no host has are canceled by the loop that carries runs on. */
export const cancelRun = (
  { db }: Pick<RunParts, 'db'>,
  userId: string,
  id: string,
  actor: Actor,
): Promise<{ run: BulkRun | undefined; isDone: boolean }> =>
  db.transactionFor(userId, async (tx) => {
    const isDone = await runs.cancelRun(tx, userId, id);
    if (isDone) await recordAudit(tx, actor, { action: 'run.cancel', target: { type: 'run', id } });
    return { run: await runs.findRun(tx, userId, id), isDone };
  });
