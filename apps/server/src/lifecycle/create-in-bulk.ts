/** The same task on many terminals. */
import type { BulkCreation, TaskType } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { ValidationError } from '../errors.ts';
import { findLoginWarnings } from '../terminals/same-account.ts';
import { createTasks, type TaskCreationParts } from './create-task.ts';
import type { Creation } from './creation.ts';

/** What the payloads of one call may come to: each terminal's task keeps its own. */
const MAX_PAYLOADS_BYTES = 1024 * 1024;

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

/**
 * A time that is past means now, and so does none: what follows is counted from there.
 * @returns when the task of each terminal is planned for, by its place among them, from 0
 */
export const toPlan = (
  { plannedAt, staggerSeconds = 0 }: Schedule,
  now: number,
): ((place: number) => Date | undefined) => {
  if (staggerSeconds === 0) return () => plannedAt;
  const first = Math.max(plannedAt?.getTime() ?? now, now);
  return (place) => new Date(first + place * staggerSeconds * 1000);
};

const assertBounded = ({ payload, terminalIds }: BulkOrder): void => {
  if (Buffer.byteLength(JSON.stringify(payload)) * terminalIds.length <= MAX_PAYLOADS_BYTES) return;
  const text = 'The payload field must not be greater than 1 megabyte for all terminals together. Send it in parts.';
  throw ValidationError.of('payload', text);
};

/**
 * Creates the task on every terminal that admits it, all by one statement in the creation's transaction; their hosts are woken
 * after it. Of a terminal that is not the user's it is said that there is none.
 * @returns for each terminal, in the order of the ids, what became of it
 */
export const createInBulk = async (
  parts: TaskCreationParts & { clock: Clock },
  order: BulkOrder,
  creation: Creation,
): Promise<BulkCreation[]> => {
  assertBounded(order);
  const { userId, type, payload, terminalIds } = order;
  const toPlannedAt = toPlan(order, parts.clock.now());
  const tasks = terminalIds.map((terminalId, place) => {
    return { userId, terminalId, type, payload, plannedAt: toPlannedAt(place) };
  });
  const { outcomes, warnings } = await creation.within(async (tx) => {
    return { outcomes: await createTasks(tx, parts, tasks), warnings: await findLoginWarnings(tx, order) };
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
