/**
 * Wakes long polls when a host has work. A wake-up is a hint, never the message itself: what is due stands in the
 * database, a lost hint costs at most one scheduler tick. A poll that waits in this very process is woken directly; for
 * the others one NOTIFY goes out, outside of the writing transaction (inside, it would serialise every commit).
 */
import { Batcher, type Logger } from '@berth/kit';
import { sql, type Database, type Queryable } from '../db/database.ts';
import type { Listener } from '../db/listener.ts';

const CHANNEL = 'berth_hosts';
/** A NOTIFY payload holds up to 8,000 bytes; a host id takes 37. */
const MAX_HOSTS_A_NOTIFY = 200;

const notifyStatement = sql('notify_hosts', `select pg_notify('${CHANNEL}', $1)`);

/**
 * One long poll's ear. Listen before looking for work, or a hint between the two is lost. Ten thousand of them wait in one
 * process, so an ear is a flag, a timer and a callback; abort signals would take ten times their memory.
 */
export class Ear {
  readonly #onStop: () => void;
  #isRung = false;
  #wake: (() => void) | undefined;

  constructor(onStop: () => void) {
    this.#onStop = onStop;
  }

  /** A hint came, or the waiting has no purpose any more. */
  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  /** Resolves when it rings, or after `ms`. A ring since the last call counts. */
  async next(ms: number): Promise<void> {
    if (!this.#isRung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#wake = undefined;
    this.#isRung = false;
  }

  stop(): void {
    this.#onStop();
  }
}

export class HostWakeups {
  readonly #lane: Queryable;
  readonly #log: Logger;
  readonly #ears = new Map<string, Set<Ear>>();
  readonly #notifier: Batcher<string, void>;

  constructor(listener: Listener, db: Database, log: Logger) {
    this.#lane = db.createLane('lax');
    this.#log = log;
    this.#notifier = new Batcher((ids) => this.#notify(ids), { maxItems: MAX_HOSTS_A_NOTIFY });
    listener.on(CHANNEL, { onMessage: (ids) => ids.split(',').forEach((id) => this.#ring(id)) });
  }

  listen(hostId: string): Ear {
    const ear = new Ear(() => {
      ears.delete(ear);
      if (ears.size === 0 && this.#ears.get(hostId) === ears) this.#ears.delete(hostId);
    });
    const ears = this.#ears.get(hostId) ?? new Set();
    this.#ears.set(hostId, ears.add(ear));
    return ear;
  }

  /** Lets every long poll look again, for example at the server's stop. */
  ringAll(): void {
    for (const id of this.#ears.keys()) this.#ring(id);
  }

  /** Hints that these hosts have work. */
  wake(hostIds: Iterable<string>): void {
    for (const id of new Set(hostIds)) {
      if (!this.#ring(id)) this.#notifier.add(id).catch(() => undefined);
    }
  }

  #ring(hostId: string): boolean {
    const ears = this.#ears.get(hostId);
    for (const ear of ears ?? []) ear.ring();
    return ears !== undefined;
  }

  async #notify(ids: string[]): Promise<void[]> {
    try {
      await this.#lane.query(notifyStatement, [[...new Set(ids)].join(',')]);
    } catch (error) {
      this.#log.debug({ err: error }, 'a wake-up was lost; the scheduler makes up for it');
    }
    return ids.map(() => undefined);
  }
}
