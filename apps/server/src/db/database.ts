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
  type WritePipeline,
  type Queryable,
  type Statement,
  type Transaction,
} from './statement.ts';

/** What a handler that creates something receives: access to its transaction. */
export interface Creation {
  /** True when the work runs in a transaction anyway, because the answer is stored in it. */
  readonly hasKey: boolean;
  /** Runs the work in the transaction that stores the answer, or without a key in one of its own. */
  within: <Result>(work: (tx: Transaction) => Promise<Result>) => Promise<Result>;
}

export {
  DatabaseUnavailableError,
  isDiskFull,
  isLockTimeout,
  isReferenceGone,
  isRefused,
  isTaken,
  sql,
  type Call,
  type WritePipeline,
  type Queryable,
  type Statement,
  type Transaction,
} from './statement.ts';

export interface DatabaseOptions {
  address: PostgresAddress;
  log: Logger;
  /** Connections for transactions; half as many more serve slow statements. */
  poolSize?: number;
  /** After this, PostgreSQL ends an idle transaction. */
  idleInTransactionMs?: number;
}

/** Slow connections that one owner may have at once, and the number of statements that may wait for them. */
const SLOW_PER_OWNER = 2;
const MAX_SLOW_WAITING = 100;
/** The same for lists that read few rows: statements in progress or waiting for their turn. */
const LISTS = 32;
const LISTS_PER_OWNER = 8;
const MAX_LISTS_WAITING = 100;
/**
 * The same for transactions of users, which never get the last connections: logins, reports and the scheduler need
 * some.
 */
const RESERVED_TRANSACTIONS = 2;
const TRANSACTIONS_PER_OWNER = 3;
const MAX_TRANSACTIONS_WAITING = 1_000;

/**
 * What the statements of a write pipeline guarantee: `durable` ones are on disk when they return; `asyncCommit` ones may
 * be lost in a crash.
 */
export type Durability = 'durable' | 'asyncCommit';

/** All access to PostgreSQL goes through here. */
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
  /**
   * The service's own statements that may take long (sweeps, counts), each planned for its parameters. For users':
   * `slowFor`.
   */
  readonly slow: Queryable;
  /** For lists that many request at once. */
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
    const options = '-c timezone=UTC -c jit=off -c plan_cache_mode=force_custom_plan';
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
      const rows = await retryDeadlocks(() => run<Row>(client, statement, values));
      client.release();
      return rows;
    } catch (error) {
      client.release(error instanceof DatabaseUnavailableError);
      throw this.#address.sense(error);
    }
  }

  /**
   * For statements whose cost grows with what an owner has (lists, counts, searches, contents of files): owners take
   * turns, and each has two connections at most. @throws TooManyWaitingError
   */
  slowFor(ownerId: string): Queryable {
    return {
      query: (statement, values = []) => this.#slowSlots.run(ownerId, () => this.#runAlone(statement, values)),
    };
  }

  /**
   * For lists that read few rows, on a connection that all of them share: what delays a list, such as a locked table,
   * delays no other read. Owners take turns. @throws TooManyWaitingError
   */
  listsFor(ownerId: string): Queryable {
    return {
      query: (statement, values = []) => this.#listSlots.run(ownerId, () => this.#lists.query(statement, values)),
    };
  }

  /**
   * A dedicated pipelined connection, for a stream of writes: on the shared one, reads would wait for their commits.
   * Opened by its first statement, closed with the database.
   * @param options.keepsPlans never plans a statement anew: for statements that take longer to be planned than to run,
   *   and whose kept plan is good for any parameters (`plans.test.ts`)
   */
  createWritePipeline(kind: Durability, { keepsPlans = false } = {}): WritePipeline {
    const commit = kind === 'asyncCommit' ? '-c synchronous_commit=off' : '';
    return this.#createPipeline(keepsPlans ? `${commit} -c plan_cache_mode=force_generic_plan` : commit);
  }

  /**
   * Runs one short statement on the pipeline, whose cost does not grow with what a user has. A statement that may wait
   * for a locked row belongs in a transaction: here, all reads would wait with it. On an error, the outcome is unknown.
   */
  query<Row extends object>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    return this.#reads.query<Row>(statement, values);
  }

  /**
   * Runs the callback in a transaction; commits when it resolves, rolls back when it rejects. After a deadlock the
   * callback is run again, so it must change nothing but the database; use `afterCommit` for the rest.
   */
  async transaction<Result>(callback: (tx: Transaction) => Promise<Result>): Promise<Result> {
    const committed: (() => void)[] = [];
    const attempt = (): Promise<Result> => {
      // What the victim of a deadlock registered is registered again by its next attempt.
      committed.length = 0;
      return this.#transactOnce(callback, (then) => void committed.push(then));
    };
    const result = await retryDeadlocks(attempt).catch((error: unknown) => {
      throw this.#address.sense(error);
    });
    for (const then of committed) then();
    return result;
  }

  /** A transaction that an owner can request at will, and that may be large: owners take turns. */
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
      const result = await callback({ query: (statement, values = []) => run(client, statement, values), afterCommit });
      await client.query('commit');
      client.release();
      return result;
    } catch (error) {
      // A connection whose rollback fails is not returned to the pool.
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

/**
 * What decisions about tasks and hosts need of the database; an interface, so that a store in memory can take its
 * place.
 */
export type Store = Pick<Database, 'query' | 'transaction' | 'createWritePipeline'>;
