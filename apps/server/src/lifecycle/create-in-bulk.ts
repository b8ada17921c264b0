/** The same task on many terminals. */
import { MAX_PLANNED_DAYS, type BulkCreation, type TaskType } from '@berth/contract';
import { readNow } from '../db/clock.ts';
import { ValidationError } from '../errors.ts';
import { findLoginWarnings } from '../terminals/same-account.ts';
import { assertRoomForTasks, createTasks, type RoomParts, type TaskCreationParts } from './create-task.ts';
import type { Creation } from './creation.ts';

/** The total size of the payloads of one call: each terminal's task has its own copy. */
const MAX_PAYLOADS_BYTES = 1024 * 1024;

export interface BulkRequest extends Schedule {
  userId: string;
  type: TaskType;
  /** As `parsePayload` returned it. */
  payload: Record<string, unknown>;
  /** Distinct UUIDs. */
  terminalIds: readonly string[];
}

/** When the tasks of many terminals are due. */
export interface Schedule {
  /** The first one's time; unset = now. */
  plannedAt?: Date | undefined;
  /** The interval between two tasks. */
  staggerSeconds?: number | undefined;
}

const MAX_PLANNED_MS = MAX_PLANNED_DAYS * 86_400_000;

/**
 * A time in the past, or none, means now: the intervals are counted from there.
 * @param count how many terminals there are
 * @returns when the task of each terminal is due, by its position, from 0
 * @throws ValidationError where the last one would be due too far ahead
 */
export const toPlan = (
  { plannedAt, staggerSeconds = 0 }: Schedule,
  now: Date,
  count: number,
): ((place: number) => Date | undefined) => {
  if (staggerSeconds === 0) return () => plannedAt;
  const nowMs = now.getTime();
  const first = Math.max(plannedAt?.getTime() ?? nowMs, nowMs);
  const toTime = (place: number): number => first + place * staggerSeconds * 1000;
  if (toTime(count - 1) > nowMs + MAX_PLANNED_MS) {
    const text = 'The stagger seconds field must not lead more than a year ahead.';
    throw ValidationError.of('stagger_seconds', text, 'Give an earlier planned_at, or fewer seconds.');
  }
  return (place) => new Date(toTime(place));
};

const assertBounded = ({ payload, terminalIds }: BulkRequest): void => {
  if (Buffer.byteLength(JSON.stringify(payload)) * terminalIds.length <= MAX_PAYLOADS_BYTES) return;
  const text = 'The payload field must not be greater than 1 megabyte for all terminals together. Send it in parts.';
  throw ValidationError.of('payload', text);
};

/**
 * Creates the task on every terminal that accepts it, all by one statement in the creation's transaction; their hosts
 * are woken after it. A terminal that is not the user's is reported as not found.
 * @returns the outcome for each terminal, in the order of the ids
 */
export const createInBulk = async (
  parts: TaskCreationParts & RoomParts,
  request: BulkRequest,
  creation: Creation,
): Promise<BulkCreation[]> => {
  assertBounded(request);
  await assertRoomForTasks(parts, request, request.terminalIds.length);
  const { userId, type, payload, terminalIds } = request;
  const { outcomes, warnings } = await creation.within(async (tx) => {
    const toPlannedAt = toPlan(request, await readNow(tx), terminalIds.length);
    const tasks = terminalIds.map((terminalId, place) => {
      return { userId, terminalId, type, payload, plannedAt: toPlannedAt(place) };
    });
    return { outcomes: await createTasks(tx, parts, tasks), warnings: await findLoginWarnings(tx, request) };
  });
  return outcomes.map((outcome, index) => {
    const terminalId = terminalIds[index]!;
    const of = { terminal_id: terminalId, ok: false, task_id: null, warnings: [] };
    if (outcome.kind === 'no_terminal') return { ...of, msg: 'Terminal not found.' };
    if (outcome.kind === 'refused') return { ...of, msg: outcome.reason };
    const own = [warnings.get(terminalId) ?? []].flat();
    const msg = ['Task created successfully.', ...own].join(' ');
    return { ...of, ok: true, task_id: outcome.id, msg, warnings: own };
  });
};
