/**
 * Wakes long polls when a host has work. A wake-up is a hint, never the message itself: what is due stands in the
 * database, a lost hint costs at most one scheduler tick. A poll that waits in this very process is woken directly; for
 * the others one NOTIFY goes out, outside of the writing transaction (inside, it would serialise every commit).
 */
import { Batcher, sleep, toBackoffMs, type Logger } from '@berth/kit';
import pg from 'pg';
import { sql, type Database, type Queryable } from '../db/database.ts';

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
  readonly #connectionString: string;
  readonly #lane: Queryable;
  readonly #log: Logger;
  readonly #ears = new Map<string, Set<Ear>>();
  readonly #notifier: Batcher<string, void>;
  readonly #stopped = new AbortController();
  #client: pg.Client | undefined;

  constructor(connectionString: string, db: Database, log: Logger) {
    this.#connectionString = connectionString;
    this.#lane = db.createLane('lax');
    this.#log = log;
    this.#notifier = new Batcher((ids) => this.#notify(ids), { maxItems: MAX_HOSTS_A_NOTIFY });
  }

  /** Starts to listen for other servers' hints; a lost connection is replaced. */
  async start(): Promise<void> {
    this.#client = await this.#connect();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.ringAll();
    await this.#client?.end().catch(() => undefined);
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

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#connectionString,
      application_name: 'berth wake-ups',
      keepAlive: true,
    });
    client.on('error', (error) => this.#log.warn({ err: error }, 'the wake-up connection was lost'));
    client.on('notification', ({ payload }) => payload?.split(',').forEach((id) => this.#ring(id)));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
    // Only a connection that listened is replaced when it ends: one that never came about has its caller try again.
    client.once('end', () => void this.#reconnect());
    return client;
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#stopped;
    for (let retry = 0; !signal.aborted; retry += 1) {
      await sleep(toBackoffMs(retry, { baseMs: 100, maxMs: 5_000 }), signal);
      if (signal.aborted) return;
      try {
        const client = await this.#connect();
        if (signal.aborted) return await client.end();
        this.#client = client;
        return;
      } catch (error) {
        this.#log.debug({ err: error }, 'the wake-up connection is not back yet');
      }
    }
  }
}
