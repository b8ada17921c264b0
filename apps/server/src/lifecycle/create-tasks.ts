/** The same task on many terminals, and what a creation of one shares with it. */
import {
  findTaskRefusal,
  MAX_OPEN_TASKS,
  type BulkCreation,
  type TaskType,
  type TerminalStatus,
} from '@berth/contract';
import type { Clock } from '@berth/kit';
import type { Queryable } from '../db/database.ts';
import { ValidationError } from '../errors.ts';
import { holdFile } from '../files/queries.ts';
import type { TaskInbox } from '../tasks/inbox.ts';
import { findLoginWarnings } from '../terminals/same-account.ts';
import type { Creation } from './creation.ts';
import { unknownFile } from '../validation/unknown-choices.ts';

/** What the payloads of one call may come to: each terminal's task keeps its own. */
const MAX_PAYLOADS_BYTES = 1024 * 1024;

/**
 * A file that the payload names must be the caller's: otherwise the task could only fail. It cannot be deleted before the
 * task is there, which then keeps it.
 * @throws ValidationError on `payload.file_id`
 */
export const holdOwnFile = async (
  tx: Queryable,
  userId: string,
  { file_id: id }: Record<string, unknown>,
): Promise<void> => {
  if (typeof id === 'string' && !(await holdFile(tx, userId, id))) {
    throw unknownFile();
  }
};

const FULL = `The terminal has ${MAX_OPEN_TASKS} tasks that have not ended. Wait until some have, or cancel some.`;

/** Why a terminal in this status took no task: where the status allows it, its queue was full. */
export const toRefusalText = (status: TerminalStatus, type: TaskType): string => findTaskRefusal(status, type) ?? FULL;

export interface BulkOrder extends Schedule {
  userId: string;
  type: TaskType;
  /** As `parsePayload` returned it. */
  payload: Record<string, unknown>;
  /** UUIDs, each once. */
  terminalIds: readonly string[];
}

/** When the tasks of many terminals are carried out. */
export interface Schedule {
  /** When the first one is; unset = at once. */
  plannedAt?: Date | undefined;
  /** How much later each is than the one before it. */
  staggerSeconds?: number | undefined;
}

/** Later times cannot be written with a year of four digits. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * A time that is past means now, and so does none: what follows is counted from there.
 * @param count how many terminals there are
 * @returns when the task of each terminal is planned for, by its place among them, from 0
 * @throws ValidationError where the last one would be planned for a time that there is not
 */
export const toPlan = (
  { plannedAt, staggerSeconds = 0 }: Schedule,
  now: number,
  count: number,
): ((place: number) => Date | undefined) => {
  if (staggerSeconds === 0) return () => plannedAt;
  const first = Math.max(plannedAt?.getTime() ?? now, now);
  const toTime = (place: number): number => first + place * staggerSeconds * 1000;
  if (toTime(count - 1) > LAST_MS) {
    const text = 'The stagger seconds field must not lead beyond the year 9999.';
    throw ValidationError.of('stagger_seconds', text, 'Give an earlier planned_at, or fewer seconds.');
  }
  return (place) => new Date(toTime(place));
};

const assertBounded = ({ payload, terminalIds }: BulkOrder): void => {
  if (Buffer.byteLength(JSON.stringify(payload)) * terminalIds.length <= MAX_PAYLOADS_BYTES) return;
  const text = 'The payload field must not be greater than 1 megabyte for all terminals together. Send it in parts.';
  throw ValidationError.of('payload', text);
};

/**
 * Creates the task on every terminal that admits it, all by one statement in the creation's transaction; their hosts are woken
 * after it. Of a terminal that is not the user's it is said that there is none.
 * @returns for each terminal, in the order of the ids, what it came to
 */
export const createTasks = async (
  { inbox, clock }: { inbox: Pick<TaskInbox, 'addAllWithin'>; clock: Clock },
  order: BulkOrder,
  creation: Creation,
): Promise<BulkCreation[]> => {
  assertBounded(order);
  const { userId, type, payload, terminalIds } = order;
  const toPlannedAt = toPlan(order, clock.now(), terminalIds.length);
  const { inserted, warnings } = await creation.within(async (tx) => {
    await holdOwnFile(tx, userId, payload);
    const tasks = terminalIds.map((terminalId, place) => {
      return { userId, terminalId, type, payload, plannedAt: toPlannedAt(place) };
    });
    return { inserted: await inbox.addAllWithin(tx, tasks), warnings: await findLoginWarnings(tx, order) };
  });
  return inserted.map(({ id, terminal_status: status, created_at: createdAt }, index) => {
    const terminalId = terminalIds[index]!;
    const of = { terminal_id: terminalId, ok: false, task_id: null, warnings: [] };
    if (status === null) return { ...of, msg: 'Terminal not found.' };
    if (createdAt === null) return { ...of, msg: toRefusalText(status, type) };
    const own = [warnings.get(terminalId) ?? []].flat();
    const msg = ['Task created successfully.', ...own].join(' ');
    return { ...of, ok: true, task_id: id, msg, warnings: own };
  });
};
