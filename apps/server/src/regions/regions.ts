import type { Clock } from '@berth/kit';
import { sql, type Queryable } from '../db/database.ts';

/** Every server sees a region that an operator adds after at most this long. */
const REFRESH_MS = 10_000;

interface RegionRow {
  id: number;
  label: string;
  /** ISO 3166-1 alpha-2, lower case. */
  country: string;
}

const listStatement = sql('list_regions', `select id, label, country from regions order by id`);

const listRegions = (db: Queryable): Promise<RegionRow[]> => db.query<RegionRow>(listStatement);

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

  /** What was read is out of date. Other servers notice within ten seconds. */
  forget(): void {
    this.#rows = undefined;
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
