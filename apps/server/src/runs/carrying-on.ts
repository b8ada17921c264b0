/**
 * Carries on the runs of tasks on many terminals (`runs.ts`): creates their tasks batch by batch, in turns
 * among the runs, cancels what its user canceled, and notes the ends. Every server does it; a run that another one has in hand
 * is passed over, and what a dead one left is gone on with.
 */
import { ResultStatus, TaskType, toServiceResult } from '@berth/contract';
import type { Logger } from '@berth/kit';
import { DatabaseUnavailableError, type Database } from '../db/database.ts';
import { createBatch, type RunParts } from './runs.ts';
import { finishRun, listOpenRuns, settleItems, type OpenRun } from './queries.ts';
import { cancelOfRunStatement } from '../tasks/transitions.ts';

/** Runs that have their turn in one round. More of them wait for the next one. */
const MAX_RUNS = 100;
/** Ends that are noted by one statement. */
const MAX_ITEMS_PER_BATCH = 1_000;

export interface BulkRunsParts extends Omit<RunParts, 'db'> {
  db: Database;
  log: Logger;
  stopping: AbortSignal;
}

export class BulkRuns {
  readonly #parts: BulkRunsParts;

  constructor(parts: BulkRunsParts) {
    this.#parts = parts;
  }

  /** Creates all tasks that are to be created, and notes what ended. */
  async carryOn(): Promise<void> {
    const { db, stopping } = this.#parts;
    let isAgain = true;
    while (isAgain && !stopping.aborted) {
      const open = await listOpenRuns(db.slow, MAX_RUNS);
      isAgain = false;
      for (const run of open) {
        if (stopping.aborted) return;
        if (await this.#carryOnOne(run)) isAgain = true;
      }
    }
  }

  /** @returns whether there is more to create; a run that fails does not hold up the others */
  async #carryOnOne(run: OpenRun): Promise<boolean> {
    const { db, log, stopping } = this.#parts;
    try {
      const created = run.has_pending ? await db.transaction((tx) => createBatch(tx, this.#parts, run.id)) : 0;
      // A deletion that has begun is not taken back: without its task, its terminal would stay as it is for ever.
      if (run.is_canceled && run.type !== TaskType.TERMINAL_DESTROY) await this.#cancelTasks(run.id);
      while (!stopping.aborted && (await settleItems(db.slow, run.id, MAX_ITEMS_PER_BATCH)) === MAX_ITEMS_PER_BATCH);
      await finishRun(db.slow, run.id);
      return created > 0;
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) throw error;
      log.error({ err: error, run: run.id }, 'a run could not be carried on; the next round tries again');
      return false;
    }
  }

  async #cancelTasks(id: string): Promise<void> {
    const { db, ends, clock } = this.#parts;
    const now = new Date(clock.now());
    const text = 'The run of tasks was canceled by its user.';
    const result = toServiceResult(ResultStatus.REFUSED, 'cancel', 'E_NOT_RUNNING', text, now);
    await db.transaction((tx) => ends.end(tx, cancelOfRunStatement, [JSON.stringify(result), id]));
  }
}
