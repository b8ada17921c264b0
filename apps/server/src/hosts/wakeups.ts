/**
 * Wakes long polls when a host has work. A wake-up is a hint, never the message itself: due tasks are in the database,
 * and a lost hint costs at most one scheduler tick. A poll that waits in this process is woken directly; for the others
 * one NOTIFY is sent, outside of the writing transaction (inside, it would serialise every commit).
 */
import { Batcher, type Logger } from '@berth/kit';
import { sql, type Database, type Queryable } from '../db/database.ts';
import type { Listener } from '../db/listener.ts';
import { LongPolls, type Claim, type LongPoll, type WaitingClaim } from './long-polls.ts';

const CHANNEL = 'berth_hosts';
/** A NOTIFY payload holds up to 8,000 bytes; a host id takes 37. */
const MAX_HOSTS_PER_NOTIFY = 200;

const notifyStatement = sql('notify_hosts', `select pg_notify('${CHANNEL}', $1)`);

export class HostWakeups {
  readonly #writes: Queryable;
  readonly #log: Logger;
  readonly #polls = new LongPolls();
  readonly #notifier: Batcher<string, void>;

  constructor(listener: Listener, db: Database, log: Logger) {
    this.#writes = db.createWritePipeline('asyncCommit');
    this.#log = log;
    this.#notifier = new Batcher((ids) => this.#notify(ids), { maxItems: MAX_HOSTS_PER_NOTIFY });
    listener.on(CHANNEL, { onMessage: (ids) => ids.split(',').forEach((id) => this.#polls.wake(id)) });
  }

  listen(claim: Claim): LongPoll {
    return this.#polls.listen(claim);
  }

  /** The host's newest claim, if it waits in this process. */
  findWaiting(hostId: string): WaitingClaim | undefined {
    return this.#polls.findWaiting(hostId);
  }

  /** Makes every long poll look again, for example when the server stops. */
  wakeAll(): void {
    this.#polls.wakeAll();
  }

  /** Hints that these hosts have work. */
  wake(hostIds: Iterable<string>): void {
    for (const id of new Set(hostIds)) {
      if (!this.#polls.wake(id)) this.#notifier.add(id).catch(() => undefined);
    }
  }

  async #notify(ids: string[]): Promise<void[]> {
    try {
      await this.#writes.query(notifyStatement, [[...new Set(ids)].join(',')]);
    } catch (error) {
      this.#log.debug({ err: error }, 'a wake-up was lost; the scheduler makes up for it');
    }
    return ids.map(() => undefined);
  }
}
