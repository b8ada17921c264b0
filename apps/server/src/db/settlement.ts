/**
 * Waits for the changes of some tables that are in progress. Two kinds of caller need that: those who watch, because a
 * trigger that ran before its watcher was registered could not see it, and those who read a log, because its rows
 * appear when their transactions end. Any change holds a lock on its table until its transaction ends, and locks are
 * per database: a long transaction that changed none of these tables, or runs in another database, delays no reader.
 */
import { sleep } from '@berth/kit';
import { sql, type Queryable } from './statement.ts';

const changesStatement = sql(
  'list_changes_under_way',
  `select distinct virtualtransaction as change from pg_locks
   where locktype = 'relation' and mode = 'RowExclusiveLock' and granted
     and database = (select oid from pg_database where datname = current_database())
     and relation = any($1::text[]::regclass[])`,
);

/** The transactions of this database that have changed, or are about to change, one of these tables. */
const listChangesUnderWay = async (db: Queryable, tables: readonly string[]): Promise<string[]> =>
  (await db.query<{ change: string }>(changesStatement, [tables])).map(({ change }) => change);

/** One poll for all who wait, soon at first, then at growing intervals. */
const FIRST_MS = 10;
const MAX_MS = 1_000;

interface Waiting {
  /** Transactions that may have missed the registration. */
  changes: Set<string>;
  resolve: () => void;
  reject: (error: unknown) => void;
}

export class Settlement {
  readonly #db: Queryable;
  readonly #tables: readonly string[];
  readonly #waiting = new Set<Waiting>();
  /** Aborts the pause of the current poll. */
  #poll: AbortController | undefined;

  /** @param tables whose changes are waited for */
  constructor(db: Queryable, tables: readonly string[]) {
    this.#db = db;
    this.#tables = tables;
  }

  /**
   * Resolves when every change that is in progress now has ended, or immediately when the signal says that the reader
   * no longer waits.
   * @throws DatabaseUnavailableError
   */
  async settle(signal?: AbortSignal): Promise<void> {
    const changes = new Set(await listChangesUnderWay(this.#db, this.#tables));
    if (changes.size === 0 || signal?.aborted) return;
    let leave: () => void;
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = { changes, resolve, reject };
      this.#waiting.add(waiting);
      leave = () => this.#leave(waiting);
      signal?.addEventListener('abort', leave, { once: true });
      this.#startPoll();
    }).finally(() => signal?.removeEventListener('abort', leave));
  }

  #leave(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    waiting.resolve();
    if (this.#waiting.size === 0) this.#poll?.abort();
  }

  /** The first poll for a new reader comes soon: most changes end within milliseconds. */
  #startPoll(): void {
    this.#poll?.abort();
    const poll = (this.#poll = new AbortController());
    void this.#run(poll.signal);
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (let pauseMs = FIRST_MS; this.#waiting.size > 0; pauseMs = Math.min(2 * pauseMs, MAX_MS)) {
      await sleep(pauseMs, signal);
      if (signal.aborted) return;
      try {
        const underWay = new Set(await listChangesUnderWay(this.#db, this.#tables));
        for (const waiting of this.#waiting) {
          if (![...waiting.changes].some((change) => underWay.has(change))) this.#leave(waiting);
        }
      } catch (error) {
        for (const waiting of this.#waiting) waiting.reject(error);
        this.#waiting.clear();
      }
    }
  }
}
