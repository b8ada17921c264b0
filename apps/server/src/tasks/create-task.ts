/**
 * Creating a task, whoever requests it: a route, a bulk of terminals, a run, an automatic screenshot, a terminal that
 * is created or destroyed. Nothing else adds tasks to the inbox.
 */
import {
  errorTable,
  findTaskRefusal,
  isStop,
  MAX_OPEN_TASKS,
  TaskStatus,
  TaskType,
  type TerminalStatus,
} from '@berth/contract';
import type { Creation, Database, Queryable, Transaction } from '../db/database.ts';
import { findExpertFileFault } from '../files/expert-file.ts';
import { holdFile } from '../files/queries.ts';
import { toTaskBytes, type StorageBudget } from '../storage/budget.ts';
import type { TaskInbox, TaskRequest } from './inbox.ts';
import type { InsertedTask } from './queries.ts';
import { findLoginWarnings } from '../terminals/same-account.ts';
import { unknownFile, wrongFile } from '../validation/unknown-choices.ts';

export interface TaskCreationParts {
  inbox: Pick<TaskInbox, 'addAllWithin'>;
}

/** What decides whether a user may store more. */
export interface RoomParts {
  storage: Pick<StorageBudget, 'assertRoom'>;
}

export type TaskOutcome =
  | { kind: 'created'; id: string; status: TaskStatus; createdAt: string }
  /** The terminal's status, lock or host, or the suspension of its user, does not allow the task, or its queue is full. */
  | {
      kind: 'refused';
      terminalStatus: TerminalStatus;
      reason: string;
      code?: 'account_locked' | 'account_suspended' | 'host_draining' | undefined;
    }
  | { kind: 'no_terminal' };

const FULL = `The terminal has ${MAX_OPEN_TASKS} tasks that have not ended. Wait until some have, or cancel some.`;
const STOPPING = 'All algo trading is being stopped at this moment. If you still mean it, send the task again.';

const toOutcome = (
  type: TaskType,
  { id, created_at, terminal_status, is_locked, is_suspended, is_stopping, is_draining }: InsertedTask,
): TaskOutcome => {
  if (terminal_status === null) return { kind: 'no_terminal' };
  if (created_at !== null) return { kind: 'created', id, status: TaskStatus.PENDING, createdAt: created_at };
  const refused = { kind: 'refused', terminalStatus: terminal_status } as const;
  const locked = is_locked ? 'account_locked' : is_draining ? 'host_draining' : undefined;
  const code = is_suspended ? 'account_suspended' : locked;
  const ofState = is_stopping ? STOPPING : (findTaskRefusal(terminal_status, type) ?? FULL);
  const reason = code ? errorTable[code].msg : ofState;
  return { ...refused, code, reason };
};

const expertTypes: ReadonlySet<TaskType> = new Set([TaskType.EA_INSTALL, TaskType.EA_UPDATE]);

/**
 * A file in the payload must be the user's, and an expert where one is needed: otherwise the task could only fail. It
 * cannot be deleted before the task exists, which then keeps it.
 * @throws ValidationError on `payload.file_id`
 */
export const holdOwnFile = async (
  tx: Queryable,
  { userId, type, payload: { file_id: id } }: Pick<TaskRequest, 'userId' | 'type' | 'payload'>,
  terminalIds: readonly string[],
): Promise<void> => {
  if (typeof id !== 'string') return;
  const file = await holdFile(tx, userId, { id, terminalIds });
  if (!file) throw unknownFile();
  const fault = expertTypes.has(type) ? findExpertFileFault(file) : undefined;
  if (fault !== undefined) throw wrongFile(fault);
};

/** Of the tasks that need a file: the first one for each, and the terminals of all of them. */
const groupByFile = (requests: readonly TaskRequest[]): Iterable<[TaskRequest, string[]]> => {
  const groups = new Map<string, [TaskRequest, string[]]>();
  for (const request of requests) {
    const { userId, type, payload, terminalId } = request;
    if (typeof payload.file_id !== 'string') continue;
    const key = `${userId} ${type} ${payload.file_id}`;
    const group = groups.get(key);
    if (group) group[1].push(terminalId);
    else groups.set(key, [request, [terminalId]]);
  }
  return groups.values();
};

/**
 * Creates tasks of any users and terminals by one statement, in the caller's transaction; their hosts are woken after
 * it.
 * @returns the outcome of each, in the same order
 * @throws ValidationError on `payload.file_id`, where a file is not the user's, or no expert
 */
export const createTasks = async (
  tx: Transaction,
  { inbox }: TaskCreationParts,
  requests: readonly TaskRequest[],
): Promise<TaskOutcome[]> => {
  for (const [first, terminalIds] of groupByFile(requests)) await holdOwnFile(tx, first, terminalIds);
  const inserted = await inbox.addAllWithin(tx, requests);
  return inserted.map((task, index) => toOutcome(requests[index]!.type, task));
};

/** The same for a task of the service itself. */
export const createServiceTask = async (
  tx: Transaction,
  parts: TaskCreationParts,
  request: Pick<TaskRequest, 'userId' | 'terminalId' | 'type'>,
): Promise<TaskOutcome> => (await createTasks(tx, parts, [{ ...request, payload: {}, actor: 'service' }]))[0]!;

/** Beside stops: tasks that end an exposure, or a terminal. */
const endingTypes: ReadonlySet<TaskType> = new Set([
  TaskType.EA_REMOVE,
  TaskType.ACCOUNT_LOGOUT,
  TaskType.TERMINAL_DESTROY,
]);

/** What users who have no room left may still store of tasks that end trading: some 65,000 of them. */
const RESERVED_BYTES = 64 * 1024 * 1024;

/** A task that a user asks for, and when it is due. */
export interface AskedTask extends Pick<TaskRequest, 'userId' | 'type' | 'payload' | 'plannedAt'> {
  staggerSeconds?: number | undefined;
}

/**
 * What users ask for must fit into what they may store. What ends trading now has room beyond it: it saves money.
 * @param count how many terminals get the task
 * @param runBytes what the run takes that they belong to
 * @throws AppError storage_full
 */
export const assertRoomForTasks = async (
  { storage }: RoomParts,
  { userId, type, payload, plannedAt, staggerSeconds = 0 }: AskedTask,
  count: number,
  runBytes = 0,
): Promise<void> => {
  const isDueNow = plannedAt === undefined && staggerSeconds === 0;
  const isReserved = isDueNow && (endingTypes.has(type) || isStop(type, payload));
  await storage.assertRoom(userId, toTaskBytes(payload) * count + runBytes, isReserved ? RESERVED_BYTES : 0);
};

/**
 * Creates the task of a request. Without an idempotency key and a file, concurrent creations share a statement.
 * @returns the outcome, and warnings: a login to an account that another terminal uses is carried out
 * @throws ValidationError on `payload.file_id`; AppError storage_full
 */
export const createTask = async (
  parts: RoomParts & { inbox: Pick<TaskInbox, 'add' | 'addAllWithin'>; db: Pick<Database, 'slowFor'> },
  request: TaskRequest,
  creation: Creation,
): Promise<{ outcome: TaskOutcome; warnings: string[] }> => {
  const { userId, terminalId, type, payload } = request;
  const { inbox, db } = parts;
  await assertRoomForTasks(parts, request, 1);
  const warn = async (connection: Queryable, outcome: TaskOutcome) => {
    const login = { userId, terminalIds: outcome.kind === 'created' ? [terminalId] : [], type, payload };
    return { outcome, warnings: [...(await findLoginWarnings(connection, login)).values()] };
  };
  if (!creation.hasKey && payload.file_id === undefined) {
    return warn(db.slowFor(userId), toOutcome(type, await inbox.add(request)));
  }
  return creation.within(async (tx) => warn(tx, (await createTasks(tx, { inbox }, [request]))[0]!));
};
