import pg, { type QueryResultRow } from 'pg';

/** PostgreSQL is going down, or starting: a connection that was open is of no use any more. */
const isConnectionGone = (error: unknown): boolean =>
  !(error instanceof pg.DatabaseError) || /^(57P0|08)/.test(error.code ?? '');

/**
 * Inspects what a stack stored, on one connection that is kept open. The database may be killed, come back, and move in
 * the meantime: queries while it is down reject.
 */
export class StackDatabase {
  readonly #toUrl: () => string;
  #url = '';
  #pool: pg.Pool | undefined;

  /** @param toUrl read for each statement */
  constructor(toUrl: () => string) {
    this.#toUrl = toUrl;
  }

  /** Runs a statement. @returns its rows */
  async query<Row extends QueryResultRow = QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const run = async () => (await (await this.#open()).query<Row>(text, [...values])).rows;
    // A connection that had already ended reports that when it is used.
    return run().catch((error: unknown) => (isConnectionGone(error) ? run() : Promise.reject(error as Error)));
  }

  async #open(): Promise<pg.Pool> {
    const url = this.#toUrl();
    if (this.#pool && this.#url === url) return this.#pool;
    const before = this.#pool;
    this.#url = url;
    this.#pool = new pg.Pool({ connectionString: url, max: 2 });
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
    const pool = this.#pool;
    await before?.end();
    return pool;
  }

  async close(): Promise<void> {
    await this.#pool?.end();
    this.#pool = undefined;
  }
}
