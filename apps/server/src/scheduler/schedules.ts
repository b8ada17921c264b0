/**
 * Starts a run of tasks for each schedule that is due (`runs/runs.ts`), and says when it is due next, in one
 * transaction: a server that is killed anywhere starts none twice and forgets none. Every server does it; a schedule that
 * another one has in hand is passed over.
 */
import { SCHEDULE_GRACE_MINUTES, TaskType, type ScheduleRun } from '@berth/contract';
import type { Logger } from '@berth/kit';
import { DatabaseUnavailableError, isLockTimeout, sql, type Database, type Transaction } from '../db/database.ts';
import { AppError, ValidationError } from '../errors.ts';
import { createRun, type RunParts } from '../runs/runs.ts';
import { hasStop } from '../runs/trading-stop-queries.ts';
import { toNextRuns } from '../schedules/cron.ts';
import * as queries from '../schedules/queries.ts';
import { toTerminalFilter } from '../terminals/asked-filter.ts';
import { lockUser } from '../terminals/queries.ts';

const AT_ONCE = 4;
/** Schedules that are planned anew in one round. */
const MAX_PLANNED = 100;
const GRACE_MS = SCHEDULE_GRACE_MINUTES * 60_000;
/** How long a run waits that its user has no room for. */
const POSTPONED_S = 30;

const TOO_MANY = `Too many runs of tasks were open for ${SCHEDULE_GRACE_MINUTES} minutes.`;
const STOPPED = 'A stop of all algo trading lasts. This schedule turns it on again once you have ended the stop.';
const MISSED = 'No server was up at that time.';
const UNEXPECTED = 'The run could not be started because of an error of the server. Its log says more.';

/** A locked row of one user does not hold up the schedules of the others. */
const limitWaitStatement = sql('limit_wait_of_schedule', `select set_config('lock_timeout', '2s', true)`);

export interface SchedulesParts extends Omit<RunParts, 'db'> {
  db: Database;
  log: Logger;
  stopping: AbortSignal;
}

/** A clock that was set back a little comes to the time of the last run once more, which is passed over. */
const toNext = (schedule: queries.ScheduleRow): Date | null => {
  if (!schedule.enabled) return null;
  const ranFor = Date.parse(schedule.last_run?.due_at ?? '');
  return toNextRuns(schedule, new Date(schedule.now), 2).find((run) => run.getTime() !== ranFor) ?? null;
};

const toMessage = (error: unknown): string =>
  error instanceof AppError || error instanceof ValidationError ? error.message : UNEXPECTED;

export class Schedules {
  readonly #parts: SchedulesParts;

  constructor(parts: SchedulesParts) {
    this.#parts = parts;
  }

  /** Starts all that are due, in turn among users. */
  async runDue(): Promise<void> {
    const { db, stopping } = this.#parts;
    await this.#planAnew();
    let isMoving = true;
    while (isMoving) {
      isMoving = false;
      const due = await queries.listDueSchedules(db.slow);
      while (due.length > 0 && !stopping.aborted) {
        const dealtWith = await Promise.all(due.splice(0, AT_ONCE).map((one) => this.#runOne(one)));
        isMoving ||= dealtWith.includes(true);
      }
    }
  }

  /** What was planned by a clock that was ahead, and was set back since, would wait until it is that late again. */
  async #planAnew(): Promise<void> {
    const { slow } = this.#parts.db;
    for (const schedule of await queries.listPlannedAhead(slow, MAX_PLANNED)) {
      await queries.planSchedule(slow, schedule.id, toNext(schedule));
    }
  }

  /** One that fails is noted as failed, and does not hold up the others. @returns whether it is not due any more */
  async #runOne(due: queries.DueSchedule): Promise<boolean> {
    const { db, log } = this.#parts;
    try {
      return await db.transaction((tx) => this.#start(tx, due));
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) throw error;
      // Its user's row is held by something else: the next round tries again.
      if (isLockTimeout(error)) return false;
      const message = toMessage(error);
      if (message === UNEXPECTED) log.error({ err: error, schedule: due.id }, 'a schedule could not be run');
      return db.transaction((tx) => this.#noteFailure(tx, due, message));
    }
  }

  async #start(tx: Transaction, due: queries.DueSchedule): Promise<boolean> {
    await tx.query(limitWaitStatement, []);
    const schedule = await queries.takeSchedule(tx, due);
    if (!schedule) return false;
    const { id, due_at, now, type, payload, stagger_seconds: staggerSeconds, terminal_ids, filter } = schedule;
    const lateMs = Date.parse(now) - Date.parse(due_at);
    const note = async (run: Omit<ScheduleRun, 'due_at' | 'at'>): Promise<true> => {
      await queries.noteScheduleRun(tx, id, { due_at, at: now, ...run }, toNext(schedule));
      return true;
    };
    if (lateMs > GRACE_MS && schedule.missed === 'skip') {
      return note({ outcome: 'skipped', run_id: null, message: MISSED });
    }
    if (type === TaskType.OPTIONS_AUTO_TRADE && payload.allow_algo_trading === 1) {
      await lockUser(tx, due.user_id);
      if (await hasStop(tx, due.user_id)) return note({ outcome: 'skipped', run_id: null, message: STOPPED });
    }
    const members = terminal_ids ?? toTerminalFilter(filter ?? {});
    const request = { userId: due.user_id, type, payload, staggerSeconds, members };
    const run = await createRun(this.#parts, request, { hasKey: true, within: (work) => work(tx) });
    if (run) return note({ outcome: 'started', run_id: run.id, message: null });
    if (lateMs > GRACE_MS) return note({ outcome: 'failed', run_id: null, message: TOO_MANY });
    await queries.postponeSchedule(tx, id, POSTPONED_S);
    return true;
  }

  async #noteFailure(tx: Transaction, due: queries.DueSchedule, message: string): Promise<boolean> {
    const schedule = await queries.takeSchedule(tx, due);
    if (!schedule) return false;
    const { id, due_at, now } = schedule;
    const run = { due_at, at: now, outcome: 'failed', run_id: null, message } as const;
    await queries.noteScheduleRun(tx, id, run, toNext(schedule));
    return true;
  }
}
