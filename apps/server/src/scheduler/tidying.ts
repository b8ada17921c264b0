/**
 * The net below what requests and reports do at once: tasks that strayed, destructions that nobody finishes, leases
 * without an attempt. One server at a time does it, beside the ticks and in batches, because what users leave behind
 * must not hold up a tick.
 */
import { ResultStatus, TaskType, TerminalStatus, toServiceResult } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { sql, type Queryable, type Store, type Transaction } from '../db/database.ts';
import { TIDYING_LOCK } from '../db/locks.ts';
import { createServiceTask, type TaskCreationParts } from '../tasks/create-task.ts';
import type { TaskEnds } from '../tasks/ends.ts';
import { cancelLeftoverStatement } from '../tasks/transitions.ts';
import { adoptStrays, FIRST_PLACE, lookForStrays, toColumns, type LookedAt, type Place } from '../tasks/strays.ts';
import { failWaitingTasks, MAX_FAILED } from '../tasks/uninstalled.ts';
import { TerminalChanges } from '../terminals/changes.ts';
import * as queries from './queries.ts';

/** Of one transaction. */
const MAX_PLACES = 1_000;
const MAX_TASKS = MAX_FAILED;

const turnStatement = sql('take_tidying_turn', `select pg_try_advisory_xact_lock(${TIDYING_LOCK}) as is_ours`);

export interface TidyingParts extends TaskCreationParts {
  db: Store;
  ends: TaskEnds;
  clock: Clock;
  stopping: AbortSignal;
}

const takeTurn = async (tx: Queryable): Promise<boolean> =>
  (await tx.query<{ is_ours: boolean }>(turnStatement))[0]?.is_ours === true;

export class Tidying {
  readonly #parts: TidyingParts;

  constructor(parts: TidyingParts) {
    this.#parts = parts;
  }

  /** One round, if no other server is at it. */
  async tidy(): Promise<void> {
    const { db, stopping } = this.#parts;
    await db.transaction(async (tx) => {
      if (!(await takeTurn(tx))) return;
      await queries.deleteOrphanedLeases(tx);
      await this.#finishDestructions(tx);
    });
    let after: Place | undefined = FIRST_PLACE;
    while (after && !stopping.aborted) {
      const from: Place = after;
      after = await db.transaction(async (tx) => ((await takeTurn(tx)) ? this.#settleStrays(tx, from) : undefined));
    }
  }

  /** @returns where to go on; undefined at the end */
  async #settleStrays(tx: Transaction, after: Place): Promise<Place | undefined> {
    const places = await lookForStrays(tx, after, MAX_PLACES);
    const counts = [
      await this.#cancelLeftovers(tx, places),
      await this.#failStranded(tx, places),
      await adoptStrays(
        tx,
        places.filter((place) => place.is_moved),
        MAX_TASKS,
      ),
    ];
    // There may be more of them in the same places.
    if (counts.includes(MAX_TASKS)) return after;
    const last = places.at(-1);
    return last?.number === MAX_PLACES ? last : undefined;
  }

  async #cancelLeftovers(tx: Transaction, places: readonly LookedAt[]): Promise<number> {
    const leaving = places.filter((place) => place.is_leaving);
    if (leaving.length === 0) return 0;
    const { clock, ends } = this.#parts;
    const text = 'The terminal is being destroyed.';
    const result = toServiceResult(ResultStatus.REFUSED, 'cancel', 'E_NOT_RUNNING', text, new Date(clock.now()));
    const values = [JSON.stringify(result), ...toColumns(leaving), MAX_TASKS];
    return (await ends.end(tx, cancelLeftoverStatement, values)).length;
  }

  async #failStranded(tx: Transaction, places: readonly LookedAt[]): Promise<number> {
    const { clock, ends } = this.#parts;
    const failed = places.filter((place) => place.is_failed);
    const reasons = new Map(failed.map((place) => [place.terminal_id, place.status_reason]));
    const terminals = [...reasons].map(([id, reason]) => ({ id, reason }));
    return failWaitingTasks({ tx, ends, now: new Date(clock.now()) }, terminals);
  }

  async #finishDestructions(tx: Transaction): Promise<void> {
    const hostless = await queries.listHostlessDestructions(tx);
    const terminals = await TerminalChanges.lock(tx, hostless);
    for (const id of hostless) terminals.conclude(id, TerminalStatus.DESTROYED, null);
    await terminals.write();
    for (const { id: terminalId, user_id: userId } of await queries.listStuckDestructions(tx)) {
      await createServiceTask(tx, this.#parts, { userId, terminalId, type: TaskType.TERMINAL_DESTROY });
    }
  }
}
