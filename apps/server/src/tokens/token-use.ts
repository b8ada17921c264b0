import type { Database, Queryable } from '../db/database.ts';
import type { Clock, Logger } from '@berth/kit';
import { touchTokens } from './queries.ts';

/** The precision of a token's `last_used_at`. */
const PRECISION_MS = 60_000;
const FLUSH_MS = 1_000;

/** Writes `last_used_at` outside of requests: one statement per second for all, each token at most once per minute. */
export class TokenUse {
  readonly #writes: Queryable;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #used = new Set<number>();
  readonly #writtenAt = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Database, clock: Clock, log: Logger) {
    this.#writes = db.createWritePipeline('asyncCommit');
    this.#clock = clock;
    this.#log = log;
  }

  note(tokenId: number, lastUsedAt: string | null): void {
    const now = this.#clock.now();
    const known = this.#writtenAt.get(tokenId) ?? (lastUsedAt === null ? 0 : Date.parse(lastUsedAt));
    // In either direction: a clock that was set back must not keep it from being written.
    if (Math.abs(now - known) < PRECISION_MS) return;
    this.#writtenAt.set(tokenId, now);
    this.#used.add(tokenId);
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  /** Writes what was recorded; a failure is logged, and the next use tries again. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ids = [...this.#used];
    this.#used.clear();
    this.#forgetOld();
    if (ids.length === 0) return;
    try {
      await touchTokens(this.#writes, ids);
    } catch (error) {
      this.#log.warn({ err: error }, 'the last use of tokens could not be written');
    }
  }

  #forgetOld(): void {
    const now = this.#clock.now();
    for (const [id, at] of this.#writtenAt) {
      if (Math.abs(now - at) > PRECISION_MS) this.#writtenAt.delete(id);
    }
  }
}
