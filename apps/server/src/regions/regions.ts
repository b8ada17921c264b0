import type { Clock } from '@berth/kit';
import type { Queryable } from '../db/database.ts';
import { listRegions, type RegionRow } from './queries.ts';

/** Every server sees a region that an operator adds after at most this long. */
const REFRESH_MS = 10_000;

/** The regions, read from the table at most once in ten seconds. */
export class Regions {
  readonly #db: Queryable;
  readonly #clock: Clock;
  #rows: Promise<RegionRow[]> | undefined;
  #readAt = 0;

  constructor(db: Queryable, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Ordered by id. */
  list(): Promise<readonly RegionRow[]> {
    const now = this.#clock.now();
    if (this.#rows === undefined || Math.abs(now - this.#readAt) >= REFRESH_MS) {
      const rows = listRegions(this.#db);
      // A failed read is not cached: the next caller tries again.
      rows.catch(() => {
        if (this.#rows === rows) this.#rows = undefined;
      });
      this.#rows = rows;
      this.#readAt = now;
    }
    return this.#rows;
  }
}
