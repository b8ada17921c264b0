/**
 * How far the log of events may be read. Ids are given in the order in which rows are written, and rows appear when their
 * transactions end, so a row may appear behind one that was read already. Up to the horizon none will: it is the newest id at
 * a moment, once every transaction that was writing events then has ended.
 */
import { sleep } from '@berth/kit';
import { sql, type Queryable } from '../db/database.ts';
import { Settlement } from '../db/settlement.ts';

const newestStatement = sql(
  'find_newest_event',
  `select case when is_called then last_value else 0 end as id from events_id_seq`,
);

export class EventHorizon {
  readonly #db: Queryable;
  readonly #settlement: Settlement;
  #value = 0;
  #advance: Promise<void> | undefined;
  /** Begins when the one that is under way has ended. */
  #next: Promise<void> | undefined;

  constructor(db: Queryable) {
    this.#db = db;
    this.#settlement = new Settlement(db, ['events']);
  }

  get value(): number {
    return this.#value;
  }

  /**
   * Brings the horizon up to what is committed now. All who ask meanwhile share the next look.
   * @throws DatabaseUnavailableError
   */
  advance(): Promise<void> {
    if (!this.#advance && !this.#next) return (this.#advance = this.#run());
    this.#next ??= this.#advance!.catch(() => undefined).then(() => {
      this.#next = undefined;
      return (this.#advance = this.#run());
    });
    return this.#next;
  }

  /** The same, but waits no longer than this: a transaction that hangs holds up what is new, and nobody who reads what is old. */
  async advanceWithin(ms: number): Promise<{ horizon: number; isCurrent: boolean }> {
    const stop = new AbortController();
    let isCurrent = false;
    try {
      await Promise.race([this.advance().then(() => (isCurrent = true)), sleep(ms, stop.signal)]);
    } finally {
      stop.abort();
    }
    return { horizon: this.#value, isCurrent };
  }

  async #run(): Promise<void> {
    try {
      const [newest] = await this.#db.query<{ id: number }>(newestStatement);
      await this.#settlement.settle();
      // It falls where the database does: one that was restored, or that took over without the last events.
      this.#value = newest?.id ?? 0;
    } finally {
      this.#advance = undefined;
    }
  }
}
