/**
 * Looks at the alerts of users for whom something may be different: because the log says so, or because it is time. Every
 * server does it; a user's place in the log is held by one at a time.
 */
import { DatabaseUnavailableError, sql, type Queryable } from '../db/database.ts';
import type { EventHorizon } from '../events/horizon.ts';
import type { MailConfig } from '../config.ts';
import type { Times } from '../times.ts';
import type { ConfirmationParts } from './confirmation.ts';
import { evaluateUser } from './evaluation.ts';
import { listWaking } from './records.ts';

/** Users of one round; the others have their turn in the next one, half a second later. */
const USERS = 200;
/** At once: each takes a connection. */
const WIDTH = 2;
/** What is wrong now is looked at even where a transaction holds up what is new in the log. */
const HORIZON_MS = 1_000;

const blindStatement = sql(
  'is_blind_to_terminals',
  `select now() - last_run_at > $1 * interval '1 millisecond' or now() - downtime_ended_at < $2 * interval '1 millisecond' as is_blind
   from scheduler`,
);

/** Whether what is known of terminals is old, because no server was up and their hosts have not reported since. */
const isBlind = async (db: Queryable, times: { downtimeMs: number; alertGraceMs: number }): Promise<boolean> =>
  times.alertGraceMs > 0 &&
  (await db.query<{ is_blind: boolean }>(blindStatement, [times.downtimeMs, times.alertGraceMs]))[0]?.is_blind === true;

export interface AlertWatcherParts extends ConfirmationParts {
  horizon: EventHorizon;
  config: ConfirmationParts['config'] & { mail: MailConfig };
  times: Pick<Times, 'alertGroupMs' | 'alertGraceMs' | 'downtimeMs'>;
  stopping: AbortSignal;
}

export class AlertWatcher {
  readonly #parts: AlertWatcherParts;

  constructor(parts: AlertWatcherParts) {
    this.#parts = parts;
  }

  async takeTurns(): Promise<void> {
    const { db, horizon, times, stopping } = this.#parts;
    const waking = await listWaking(db, USERS);
    if (waking.length === 0 || (await isBlind(db, times))) return;
    // After the wakes were read: the events behind them are below the horizon then.
    const { horizon: value, isCurrent } = await horizon.advanceWithin(HORIZON_MS);
    const rest = waking.values();
    const run = async (): Promise<void> => {
      for (const { user_id: userId, wakes } of rest) {
        if (stopping.aborted) return;
        await this.#lookAt(userId, wakes, value, isCurrent);
      }
    };
    await Promise.all(Array.from({ length: WIDTH }, run));
  }

  async #lookAt(userId: string, wakes: readonly string[], horizon: number, isCurrent: boolean): Promise<void> {
    const { db, config, times, log } = this.#parts;
    const confirmation = config.mail.smtpUrl === undefined ? undefined : this.#parts;
    try {
      const look = { userId, wakes, horizon, isCurrent, groupMs: times.alertGroupMs, confirmation };
      await db.transaction((tx) => evaluateUser(tx, look));
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) throw error;
      // One user whose alerts cannot be looked at holds up nobody else.
      log.error({ err: error, userId }, 'the alerts of a user could not be looked at; the next round tries again');
    }
  }
}
