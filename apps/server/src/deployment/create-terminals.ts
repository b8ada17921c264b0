/**
 * Many terminals by one call: all of them, or none. They wait for their hosts like all that wait, in turns with those of
 * other users, so that a large import neither holds the places of hosts locked nor comes before others.
 */
import { NewTerminal, type TerminalCreation } from '@berth/contract';
import type { User } from '../tokens/callers.ts';
import type { Creation, Transaction } from '../db/database.ts';
import { ValidationError } from '../errors.ts';
import type { Restoration } from '../snapshots/restoring.ts';
import { noteTransitions, type TerminalTransition } from '../terminals/changes.ts';
import { listTakenExternalIds, takenExternalId } from '../terminals/insert.ts';
import { countOwnTerminalsLocked } from '../terminals/queries.ts';
import { findSameAccountWarnings } from '../terminals/same-account.ts';
import { compileStrictBody } from '../validation/validation.ts';
import {
  findPlace,
  insertWithTask,
  toCreationBytes,
  toTerminalLimit,
  type CreateTerminalInput,
  type Place,
  type TerminalCreationParts,
} from './create-terminal.ts';
import { listRegionCapacity } from './placement.ts';
import { findRestoration } from './restoration.ts';

/** Of all snapshots in one call. */
const MAX_RESTORING_TASKS = 5_000;

const validateItem = compileStrictBody(NewTerminal, 'create');

interface Item {
  index: number;
  input: CreateTerminalInput;
  place: Place | undefined;
  restoration: Restoration | undefined;
  error: ValidationError | undefined;
}

/** What came of it: an item each; and whether the plan allows so many. */
export interface TerminalsCreated {
  items: TerminalCreation[];
  /** Set where the plan allows no more than this. */
  limit?: number;
  /** With `isDry`: they would be. */
  isCreated: boolean;
}

const toItem = (
  { index, error }: Item,
  terminalId: string | null,
  warnings: readonly string[] = [],
): TerminalCreation => ({
  index,
  ok: !error,
  terminal_id: terminalId,
  errors: error ? error.toBody().errors : {},
  warnings: [...warnings],
});

const check = async (parts: TerminalCreationParts, user: User, given: readonly Record<string, unknown>[]) => {
  const regions = await listRegionCapacity(parts.db);
  const items: Item[] = [];
  for (const [index, raw] of given.entries()) {
    const { value, errors } = validateItem(raw);
    const input = value as CreateTerminalInput;
    const item: Item = { index, input, place: undefined, restoration: undefined, error: undefined };
    items.push(item);
    try {
      if (errors.length > 0) throw new ValidationError(errors);
      item.place = await findPlace(parts, user, input, regions);
      item.restoration = await findRestoration(parts.db, user.id, input);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      item.error = error;
    }
  }
  return items;
};

/** One transaction creates them all. */
const assertBounded = (items: readonly Item[]): void => {
  const count = items.reduce((sum, { restoration }) => sum + (restoration?.tasks.length ?? 0), 0);
  if (count <= MAX_RESTORING_TASKS) return;
  const text = `The items field needs ${count} tasks for its snapshots; one call creates ${MAX_RESTORING_TASKS}. Send it in parts.`;
  throw ValidationError.of('items', text);
};

/** An external id names one terminal of the account. */
const refuseTaken = async (tx: Transaction, userId: string, items: readonly Item[]): Promise<void> => {
  const taken = await listTakenExternalIds(
    tx,
    userId,
    items.flatMap(({ input }) => input.external_id ?? []),
  );
  for (const item of items) {
    const { external_id: id } = item.input;
    if (item.error || typeof id !== 'string') continue;
    if (taken.has(id)) item.error = takenExternalId();
    taken.add(id);
  }
};

/** Ends the transaction of a dry run. */
class RolledBack extends Error {
  readonly outcome: TerminalsCreated;

  constructor(outcome: TerminalsCreated) {
    super('a dry run creates nothing');
    this.outcome = outcome;
  }
}

const insertAll = async (
  tx: Transaction,
  parts: TerminalCreationParts,
  user: User,
  items: readonly Item[],
): Promise<TerminalsCreated> => {
  const limit = toTerminalLimit(parts.config, user);
  const total = await countOwnTerminalsLocked(tx, user.id);
  await refuseTaken(tx, user.id, items);
  const isAllowed = limit === undefined || total + items.length <= limit;
  if (items.some(({ error }) => error) || !isAllowed) {
    const refused = { items: items.map((item) => toItem(item, null)), isCreated: false };
    return isAllowed ? refused : { ...refused, limit };
  }
  const created: TerminalTransition[] = [];
  for (const { input, place, restoration } of items) {
    created.push((await insertWithTask(tx, parts, user, input, { ...place!, restoration, hostId: null })).moved);
  }
  await noteTransitions(tx, created);
  const ids = created.map(({ id }) => id);
  const warnings = await findSameAccountWarnings(tx, { userId: user.id, terminalIds: ids });
  const answers = items.map((item, index) => {
    const id = ids[index]!;
    return toItem(item, id, [warnings.get(id) ?? []].flat());
  });
  return { items: answers, isCreated: true };
};

/**
 * Creates the terminals, or with `isDry` only says whether it would: by the same statements, which are then rolled back.
 */
export const createTerminals = async (
  parts: TerminalCreationParts,
  user: User,
  { given, isDry }: { given: readonly Record<string, unknown>[]; isDry: boolean },
  creation: Creation,
): Promise<TerminalsCreated> => {
  const items = await check(parts, user, given);
  assertBounded(items);
  const bytes = items.reduce((sum, { restoration }) => sum + toCreationBytes(restoration), 0);
  await parts.storage.assertRoom(user.id, bytes);
  if (!isDry) return creation.within((tx) => insertAll(tx, parts, user, items));
  // Never in the transaction that stores an answer: that one is committed.
  const dryRun = parts.db.transactionFor(user.id, async (tx) => {
    const { items: created, ...outcome } = await insertAll(tx, parts, user, items);
    throw new RolledBack({ ...outcome, items: created.map((item) => ({ ...item, terminal_id: null })) });
  });
  return dryRun.catch((error: unknown) => {
    if (error instanceof RolledBack) return error.outcome;
    throw error;
  });
};
