/**
 * How often something was used within a minute, across all servers. Each counts in its own memory, and the servers
 * synchronise through one table: immediately where a round trip does not matter (a login), otherwise in the background.
 * While the database is down, a server's own count applies: no client is locked out, and none is unlimited.
 *
 * A minute starts with the first use on the first server that sends it; the database says how much of it is left, so
 * that no two clocks are compared.
 */
import { createHash } from 'node:crypto';
import type { Logger } from '@berth/kit';
import { isOver } from '../../db/clock.ts';
import { sql, type Database, type Queryable } from '../../db/database.ts';

/** How often servers synchronise. */
const EXCHANGE_MS = 1_000;
/** Rarely used things are not worth sending: a count is synchronised once it reaches this share of its limit. */
const SYNC_PART = 0.1;
const MAX_COUNTS = 50_000;
const SWEEP_EVERY = 60;

const isEnded = isOver('r.ends_at', 'make_interval(secs => $4::float8 / 1000)');

// In the order of the keys, so that two servers never deadlock.
const addStatement = sql(
  'add_rate_uses',
  `insert into rate_uses as r (key, uses, ends_at)
   select key, uses, now() + make_interval(secs => left_ms / 1000)
   from unnest($1::bytea[], $2::integer[], $3::float8[]) as u (key, uses, left_ms) order by key
   on conflict (key) do update set
     uses = case when ${isEnded} then excluded.uses else least(r.uses::bigint + excluded.uses, 1000000000)::integer end,
     ends_at = case when ${isEnded} then excluded.ends_at else r.ends_at end
   returning encode(key, 'hex') as key, uses, extract(epoch from ends_at - now())::float8 * 1000 as left_ms`,
);
const dropStatement = sql('drop_old_rate_uses', `delete from rate_uses where ends_at < now()`);

interface Count {
  key: string;
  max: number;
  endsAtMs: number;
  /** Used on all servers, according to the database. */
  confirmed: number;
  /** Being sent. */
  underWay: number;
  /** Used here since. */
  pending: number;
}

export interface Use {
  /** This one included. */
  uses: number;
  leftMs: number;
}

const toUse = ({ confirmed, underWay, pending, endsAtMs }: Count): Use => ({
  uses: confirmed + underWay + pending,
  leftMs: endsAtMs - performance.now(),
});

const toStoredKey = (key: string): Buffer => createHash('sha256').update(key).digest().subarray(0, 16);

export class SharedCounts {
  readonly #writes: Queryable;
  readonly #log: Logger;
  readonly #windowMs: number;
  /** In the order in which their minutes started. */
  readonly #counts = new Map<string, Count>();
  readonly #pending = new Set<Count>();
  readonly #timer: NodeJS.Timeout;
  #rounds = 0;

  constructor(db: Database, log: Logger, windowMs: number) {
    this.#windowMs = windowMs;
    this.#writes = db.createWritePipeline('asyncCommit');
    this.#log = log;
    this.#timer = setInterval(() => void this.#exchange(), EXCHANGE_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Counts one use; other servers learn of it shortly after. */
  use(key: string, max: number): Use {
    const count = this.#add(key, max);
    const use = toUse(count);
    if (use.uses >= max * SYNC_PART) this.#pending.add(count);
    return use;
  }

  /** Counts one use on all servers; without a round trip if it is over the limit anyway. */
  async useEverywhere(key: string, max: number): Promise<Use> {
    const count = this.#add(key, max);
    const use = toUse(count);
    if (use.uses > max) return use;
    // By its own number: others may have been added while this one was in flight.
    const confirmed = await this.#sync([count]);
    return { uses: confirmed ?? use.uses, leftMs: toUse(count).leftMs };
  }

  #add(key: string, max: number): Count {
    const nowMs = performance.now();
    const known = this.#counts.get(key);
    if (known && known.endsAtMs > nowMs) {
      known.pending += 1;
      return known;
    }
    const count: Count = { key, max, endsAtMs: nowMs + this.#windowMs, confirmed: 0, underWay: 0, pending: 1 };
    // Moves to the end of the queue.
    this.#counts.delete(key);
    this.#counts.set(key, count);
    if (this.#counts.size > MAX_COUNTS) this.#forget(this.#counts.values().next().value!);
    return count;
  }

  #forget(count: Count): void {
    this.#counts.delete(count.key);
    this.#pending.delete(count);
  }

  async #exchange(): Promise<void> {
    const nowMs = performance.now();
    for (const count of this.#counts.values()) {
      if (count.endsAtMs > nowMs) break;
      this.#forget(count);
    }
    const counts = [...this.#pending];
    this.#pending.clear();
    await this.#sync(counts.filter(({ endsAtMs }) => endsAtMs > nowMs));
    this.#rounds += 1;
    if (this.#rounds % SWEEP_EVERY === 0) {
      await this.#writes.query(dropStatement).catch((error: unknown) => {
        this.#log.debug({ err: error }, 'old counts of uses stay for another minute');
      });
    }
  }

  /**
   * Sends what was used here, and reads what was used on all servers. Never rejects.
   * @returns the uses of the first one so far; undefined when the database did not answer
   */
  async #sync(counts: readonly Count[]): Promise<number | undefined> {
    if (counts.length === 0) return undefined;
    const asked = new Map(
      counts.map((count) => {
        const uses = count.pending;
        count.pending = 0;
        count.underWay += uses;
        const key = toStoredKey(count.key);
        return [key.toString('hex'), { count, key, uses }];
      }),
    );
    const sent = [...asked.values()];
    const nowMs = performance.now();
    const values = [
      sent.map(({ key }) => key),
      sent.map(({ uses }) => uses),
      sent.map(({ count }) => Math.max(0, count.endsAtMs - nowMs)),
      this.#windowMs,
    ];
    let first: number | undefined;
    try {
      const rows = await this.#writes.query<{ key: string; uses: number; left_ms: number }>(addStatement, values);
      for (const { key, uses, left_ms: leftMs } of rows) {
        const { count } = asked.get(key)!;
        count.confirmed = uses;
        count.endsAtMs = performance.now() + leftMs;
        if (count === counts[0]) first = uses;
      }
    } catch (error) {
      this.#log.debug({ err: error }, 'uses could not be counted with other servers; what was counted here holds');
      // Sent again: at worst they count twice for the rest of the minute.
      for (const { count, uses } of sent) {
        count.pending += uses;
        this.#pending.add(count);
      }
    }
    for (const { count, uses } of sent) count.underWay -= uses;
    return first;
  }
}
