import pg from 'pg';
import type { Logger } from '@berth/kit';
import { rowTypes } from './row-types.ts';

/** A prepared statement: named, so that PostgreSQL parses and plans it once a connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export const sql = (name: string, text: string): Statement => ({ name, text });

/** Anything that runs a statement: the pipeline, the pool, or a transaction. */
export interface Queryable {
  query<Row extends object>(statement: Statement, values?: unknown[]): Promise<Row[]>;
}

/** The database is away (starting, stopping, restarting, or out of reach). Becomes a 503 with Retry-After. */
export class DatabaseUnavailableError extends Error {
  constructor(cause: unknown) {
    super('the database is unavailable', { cause });
    this.name = 'DatabaseUnavailableError';
  }
}

/**
 * For batches: true when the statement was refused, so that nothing of the batch was done and one bad item can be told
 * from the good ones. A lost connection leaves that open.
 */
export const isRefused = (error: unknown): boolean => !(error instanceof DatabaseUnavailableError);

/** SQLSTATE classes and codes of a connection that is gone or a server that is going. */
const isUnavailable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^(08|57P)/.test(code) || code === '53300') return true;
  if (/^(ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code)) return true;
  return /Connection terminated|connection error|Client has encountered|not queryable|timeout exceeded/i.test(
    error.message,
  );
};

/** How often a statement or a transaction is tried that PostgreSQL chose as the victim of a deadlock. */
const MAX_DEADLOCK_ATTEMPTS = 4;

const isDeadlock = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '40P01';

const toDatabaseError = (error: unknown): unknown =>
  isUnavailable(error) ? new DatabaseUnavailableError(error) : error;

const run = async <Row extends object>(
  client: { query: pg.ClientBase['query'] },
  statement: Statement,
  values: unknown[],
): Promise<Row[]> => {
  try {
    const result = await client.query<Row>({ name: statement.name, text: statement.text, values });
    return result.rows;
  } catch (error) {
    throw toDatabaseError(error);
  }
};

/**
 * Settings of connections for statements that an index answers. They plan without sequential scans, bitmaps and sorts where
 * an index offers the order, because a plan made while a table was empty or its statistics old would otherwise read the
 * table from end to end; and they keep their plans.
 */
const INDEXED = '-c timezone=UTC -c enable_seqscan=off -c enable_bitmapscan=off -c enable_sort=off';

/**
 * One pipelined connection: statements of concurrent requests are sent without waiting for one another. Only for short,
 * single, autocommitted statements that an index answers. A lost connection is replaced at the next call.
 */
class Pipeline implements Queryable {
  readonly #config: pg.ClientConfig;
  readonly #log: Logger;
  #client: Promise<pg.Client> | undefined;

  constructor(config: pg.ClientConfig, log: Logger, settings = '') {
    this.#config = { ...config, pipeline: true, options: `${INDEXED} ${settings}` };
    this.#log = log;
  }

  async query<Row extends object>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await run<Row>(await this.#connected(), statement, values);
      } catch (error) {
        // The victim of a deadlock did nothing, so it may be said again: a heartbeat and a report lock the same leases.
        if (attempt >= MAX_DEADLOCK_ATTEMPTS || !isDeadlock(error)) throw error;
      }
    }
  }

  #connected(): Promise<pg.Client> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#config);
    const connecting = client.connect().then(
      () => client,
      (error: unknown) => {
        forget();
        throw toDatabaseError(error);
      },
    );
    // A connection's last event may come when the next one is already in use.
    const forget = () => {
      if (this.#client === connecting) this.#client = undefined;
    };
    client.on('error', (error) => {
      this.#log.warn({ err: error }, 'a database connection was lost');
      forget();
    });
    client.on('end', forget);
    return connecting;
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.end();
  }
}

export interface DatabaseOptions {
  connectionString: string;
  log: Logger;
  /** Connections for transactions; half as many more serve slow statements. */
  poolSize?: number;
}

/** What a lane's statements promise: `durable` ones are on disk when they answer; `lax` ones may be lost in a crash. */
export type LaneKind = 'durable' | 'lax';

/** The one way to PostgreSQL. */
export class Database implements Queryable {
  readonly #config: pg.ClientConfig;
  readonly #log: Logger;
  readonly #reads: Pipeline;
  readonly #lanes: Pipeline[] = [];
  readonly #transactions: pg.Pool;
  readonly #slow: pg.Pool;
  /** Statements that may take long (searches, scans): planned for their very parameters. */
  readonly slow: Queryable;

  constructor({ connectionString, log, poolSize = 8 }: DatabaseOptions) {
    this.#config = {
      connectionString,
      application_name: 'berth',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      types: rowTypes,
    };
    this.#log = log;
    this.#reads = new Pipeline(this.#config, log);
    this.#transactions = this.#createPool(poolSize, INDEXED);
    this.#slow = this.#createPool(Math.ceil(poolSize / 2), '-c timezone=UTC -c plan_cache_mode=force_custom_plan');
    this.slow = { query: (statement, values = []) => run(this.#slow, statement, values) };
  }

  #createPool(max: number, settings: string): pg.Pool {
    const limits = '-c statement_timeout=30000 -c idle_in_transaction_session_timeout=30000';
    const pool = new pg.Pool({ ...this.#config, max, options: `${settings} ${limits}` });
    pool.on('error', (error) => this.#log.warn({ err: error }, 'an idle database connection was lost'));
    // While a transaction holds a connection the pool does not listen, and an error event without a listener ends the
    // process. The transaction hears of the loss by its statement.
    pool.on('connect', (client) => client.on('error', () => undefined));
    return pool;
  }

  /**
   * A pipelined connection of one's own, for a stream of writes: on the shared one, reads would wait for their commits.
   * Opened at its first statement, closed with the database.
   */
  createLane(kind: LaneKind): Queryable {
    const lane = new Pipeline(this.#config, this.#log, kind === 'lax' ? '-c synchronous_commit=off' : '');
    this.#lanes.push(lane);
    return lane;
  }

  /** Runs one short statement on the pipeline. Safe to lose only in the sense of the caller: an error means "unknown". */
  query<Row extends object>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    return this.#reads.query<Row>(statement, values);
  }

  /**
   * Runs the callback in a transaction; commits when it resolves, rolls back when it rejects. A deadlock is resolved by
   * running the callback again, so it must change nothing but the database.
   */
  async transaction<Result>(callback: (tx: Queryable) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#transactOnce(callback);
      } catch (error) {
        if (attempt >= MAX_DEADLOCK_ATTEMPTS || !isDeadlock(error)) throw toDatabaseError(error);
      }
    }
  }

  async #transactOnce<Result>(callback: (tx: Queryable) => Promise<Result>): Promise<Result> {
    const client = await this.#transactions.connect().catch((error: unknown) => {
      throw toDatabaseError(error);
    });
    try {
      await client.query('begin');
      const result = await callback({ query: (statement, values = []) => run(client, statement, values) });
      await client.query('commit');
      client.release();
      return result;
    } catch (error) {
      // A connection whose rollback fails is not given back to the pool.
      await client.query('rollback').then(
        () => client.release(),
        (cause: Error) => client.release(cause),
      );
      throw error;
    }
  }

  async close(): Promise<void> {
    const pipelines = [this.#reads, ...this.#lanes].map((pipeline) => pipeline.close());
    await Promise.all([...pipelines, this.#transactions.end(), this.#slow.end()]);
  }
}

/** What decisions about tasks and hosts need of the database; its public face, so that a store in memory can stand in. */
export type Store = Pick<Database, 'query' | 'transaction' | 'createLane'>;
