import { FairSemaphore, type Logger } from '@berth/kit';
import type { PostgresAddress } from './address.ts';
import { usualTimes } from '../times.ts';
import { INDEXED, STATEMENT_TIMEOUT } from './connection.ts';
import { Pipeline } from './pipeline.ts';
import { Pool } from './pool.ts';
import { SharedReads } from './shared-reads.ts';
import {
  DatabaseUnavailableError,
  retryDeadlocks,
  run,
  runTransaction,
  type Queryable,
  type Statement,
  type Transaction,
} from './statement.ts';

export {
  DatabaseUnavailableError,
  isDiskFull,
  isReferenceGone,
  isRefused,
  sql,
  type Queryable,
  type Statement,
  type Transaction,
} from './statement.ts';

export interface DatabaseOptions {
  address: PostgresAddress;
  log: Logger;
  /** Connections for transactions; half as many more serve slow statements. */
  poolSize?: number;
  /** After which PostgreSQL ends a transaction of a server that says nothing. */
  idleInTransactionMs?: number;
}

/** Slow connections that one owner may have at once, and statements that may wait for them. */
const SLOW_PER_OWNER = 2;
const MAX_SLOW_WAITING = 100;
/** The same for lists that look at few rows: statements that are on their way to PostgreSQL, or wait for that. */
const LISTS = 32;
const LISTS_PER_OWNER = 8;
const MAX_LISTS_WAITING = 100;
/** The same for transactions of users, which never have the last connections: logins, reports and the scheduler need some. */
const RESERVED_TRANSACTIONS = 2;
const TRANSACTIONS_PER_OWNER = 3;
const MAX_TRANSACTIONS_WAITING = 1_000;

/** What a lane's statements promise: `durable` ones are on disk when they answer; `asyncCommit` ones may be lost in a crash. */
export type LaneKind = 'durable' | 'asyncCommit';

/** The one way to PostgreSQL. */
export class Database implements Queryable {
  readonly #address: PostgresAddress;
  readonly #log: Logger;
  readonly #pipelines: Pipeline[] = [];
  readonly #reads: Pipeline;
  readonly #lists: Pipeline;
  readonly #listSlots = new FairSemaphore({ places: LISTS, perOwner: LISTS_PER_OWNER, maxWaiting: MAX_LISTS_WAITING });
  readonly #transactions: Pool;
  readonly #slow: Pool;
  readonly #slowSlots: FairSemaphore;
  readonly #transactionSlots: FairSemaphore;
  /** The service's own statements that may take long (sweeps, counts): planned for their very parameters. Users': `slowFor`. */
  readonly slow: Queryable;
  /** Of lists that many ask for at once. */
  readonly shared = new SharedReads();

  constructor({ address, log, poolSize = 8, idleInTransactionMs = usualTimes.idleInTransactionMs }: DatabaseOptions) {
    this.#address = address;
    this.#log = log;
    this.#reads = this.#createPipeline('');
    this.#lists = this.#createPipeline(STATEMENT_TIMEOUT);
    this.#transactions = new Pool(address, log, { max: poolSize, options: INDEXED, idleInTransactionMs });
    this.#transactionSlots = new FairSemaphore({
      places: Math.max(1, poolSize - RESERVED_TRANSACTIONS),
      perOwner: TRANSACTIONS_PER_OWNER,
      maxWaiting: MAX_TRANSACTIONS_WAITING,
    });
    const options = '-c timezone=UTC -c plan_cache_mode=force_custom_plan';
    const places = Math.ceil(poolSize / 2);
    this.#slow = new Pool(address, log, { max: places, options, idleInTransactionMs });
    this.#slowSlots = new FairSemaphore({ places, perOwner: SLOW_PER_OWNER, maxWaiting: MAX_SLOW_WAITING });
    this.slow = { query: (statement, values = []) => this.#runAlone(statement, values) };
    address.onLost(() => this.#drop());
  }

  #drop(): void {
    for (const part of [...this.#pipelines, this.#transactions, this.#slow]) part.drop();
  }

  #createPipeline(settings: string): Pipeline {
    const pipeline = new Pipeline(this.#address, this.#log, settings);
    this.#pipelines.push(pipeline);
    return pipeline;
  }

  async #runAlone<Row extends object>(statement: Statement, values: unknown[]): Promise<Row[]> {
    const client = await this.#slow.connect();
    try {
      const rows = await run<Row>(client, statement, values);
      client.release();
      return rows;
    } catch (error) {
      client.release(error instanceof DatabaseUnavailableError);
      throw this.#address.sense(error);
    }
  }

  /**
   * For statements that take the longer the more an owner has (lists, counts, searches, contents of files): owners take
   * turns, so that one of them has two connections at the most. @throws TooManyWaitingError
   */
  slowFor(ownerId: string): Queryable {
    return {
      query: (statement, values = []) => this.#slowSlots.run(ownerId, () => this.#runAlone(statement, values)),
    };
  }

  /**
   * For lists that look at few rows, on a connection that all of them share: what holds up a list, such as a locked table,
   * holds up no other read. Owners take turns. @throws TooManyWaitingError
   */
  listsFor(ownerId: string): Queryable {
    return {
      query: (statement, values = []) => this.#listSlots.run(ownerId, () => this.#lists.query(statement, values)),
    };
  }

  /**
   * A pipelined connection of one's own, for a stream of writes: on the shared one, reads would wait for their commits.
   * Opened at its first statement, closed with the database.
   */
  createLane(kind: LaneKind): Queryable {
    return this.#createPipeline(kind === 'asyncCommit' ? '-c synchronous_commit=off' : '');
  }

  /**
   * Runs one short statement on the pipeline, whose cost does not grow with what a user has. What may wait for a row that
   * somebody holds goes into a transaction: here, all that is read would wait with it. Safe to lose only in the sense of
   * the caller: an error means "unknown".
   */
  query<Row extends object>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    return this.#reads.query<Row>(statement, values);
  }

  /**
   * Runs the callback in a transaction; commits when it resolves, rolls back when it rejects. A deadlock is resolved by
   * running the callback again, so it must change nothing but the database; for the rest there is `afterCommit`.
   */
  async transaction<Result>(callback: (tx: Transaction) => Promise<Result>): Promise<Result> {
    const committed: (() => void)[] = [];
    const attempt = (): Promise<Result> => {
      // What a deadlock's victim noted is noted again by its next attempt.
      committed.length = 0;
      return this.#transactOnce(callback, (then) => void committed.push(then));
    };
    const result = await retryDeadlocks(attempt).catch((error: unknown) => {
      throw this.#address.sense(error);
    });
    for (const then of committed) then();
    return result;
  }

  /** A transaction for something that an owner asks for at will, and that may be large: owners take turns. */
  transactionFor<Result>(ownerId: string, callback: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.#transactionSlots.run(ownerId, () => this.transaction(callback));
  }

  async #transactOnce<Result>(
    callback: (tx: Transaction) => Promise<Result>,
    afterCommit: Transaction['afterCommit'],
  ): Promise<Result> {
    const client = await this.#transactions.connect();
    try {
      await client.query('begin');
      const connection: Queryable = { query: (statement, values = []) => run(client, statement, values) };
      const result = await runTransaction(connection, callback, afterCommit);
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
    await Promise.all([...this.#pipelines, this.#transactions, this.#slow].map((part) => part.close()));
  }
}

/** What decisions about tasks and hosts need of the database; its public face, so that a store in memory can stand in. */
export type Store = Pick<Database, 'query' | 'transaction' | 'createLane'>;
