/** A statement, how it is run, and what its errors mean. */
import pg from 'pg';

/** A prepared statement: named, so that PostgreSQL parses and plans it once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

const known = new Map<string, Statement>();

/**
 * Without a name it is parsed at each use: for statements that run once.
 * @throws Error when the name is already used for another text: a connection would confuse them
 */
export const sql = (name: string, text: string): Statement => {
  if (name === '') return { name, text };
  if ((known.get(name)?.text ?? text) !== text) throw new Error(`two statements have the name ${name}`);
  const statement = { name, text };
  known.set(name, statement);
  return statement;
};

/** Every named statement of the modules that are loaded. */
export const listStatements = (): Statement[] => [...known.values()];

/** Anything that runs a statement: the pipeline, the pool, or a transaction. */
export interface Queryable {
  query<Row extends object>(statement: Statement, values?: unknown[]): Promise<Row[]>;
}

/** A statement with its parameters, in order. */
export type Call = readonly [statement: Statement, values: unknown[]];

/** A stream of writes on a connection of its own. */
export interface WritePipeline extends Queryable {
  /**
   * Runs them in one transaction, sent at once: what a later one asks for cannot depend on the answer of an earlier one,
   * but it finds what that wrote.
   * @returns the rows of each
   */
  transact(calls: readonly Call[]): Promise<object[][]>;
}

/** An open transaction. */
export interface Transaction extends Queryable {
  /**
   * Called once the transaction is committed, in order of registration; never if it is rolled back. It must not throw.
   */
  afterCommit(callback: () => void): void;
}

/** The database is unavailable (starting, stopping, restarting, or unreachable). Becomes a 503 with Retry-After. */
export class DatabaseUnavailableError extends Error {
  constructor(cause: unknown) {
    super('the database is unavailable', { cause });
    this.name = 'DatabaseUnavailableError';
  }
}

/**
 * For batches: true when the statement was rejected, so that nothing of the batch was done and its items can be tried
 * one by one. A lost connection leaves the outcome open.
 */
export const isRefused = (error: unknown): boolean => !(error instanceof DatabaseUnavailableError);

/**
 * SQLSTATE classes and codes for a lost connection (25P03: we were idle for too long), a server that is shutting down,
 * or one that became a standby.
 */
const isUnavailable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^(08|57P)/.test(code) || ['53300', '25006', '25P03'].includes(code)) return true;
  if (/^(ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code)) return true;
  return /Connection terminated|connection error|Client has encountered|not queryable|timeout exceeded/i.test(
    error.message,
  );
};

/**
 * PostgreSQL's disk is full (53100), or our own, as reported by file operations. A file system's quota is recognised by
 * its text.
 */
export const isDiskFull = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return /^(53100|ENOSPC|EDQUOT)$/.test(code) || /No space left on device|Disk quota exceeded/.test(error.message);
};

/** Another row has the value already (23505). @param index its unique index */
export const isTaken = (error: unknown, index: string): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === '23505' &&
  'constraint' in error &&
  error.constraint === index;

/** It waited for a lock for as long as its `lock_timeout` allows. */
export const isLockTimeout = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === '55P03';

/** A referenced row is gone (23503): it was there when it was looked up. */
export const isReferenceGone = (error: unknown, constraint: string): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === '23503' &&
  'constraint' in error &&
  error.constraint === constraint;

const MAX_DEADLOCK_ATTEMPTS = 4;

const isDeadlock = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '40P01';

/**
 * Runs it again when PostgreSQL chose it as the victim of a deadlock and rolled it back; so it must change nothing but
 * the database.
 */
export const retryDeadlocks = async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (number >= MAX_DEADLOCK_ATTEMPTS || !isDeadlock(error)) throw error;
    }
  }
};

export const toDatabaseError = (error: unknown): unknown =>
  isUnavailable(error) ? new DatabaseUnavailableError(error) : error;

/** `pg` copies a configuration object, which takes longer than all the rest of preparing a query. */
const submit = <Row extends pg.QueryResultRow>(
  client: { query: pg.ClientBase['query'] },
  { name, text }: Statement,
  values: unknown[],
): Promise<Row[]> =>
  new Promise((resolve, reject) => {
    const query = new pg.Query<Row>(text, values, (error, result) => {
      if (error) reject(error);
      else resolve(result.rows);
    });
    client.query(Object.assign(query, { name }));
  });

export const run = async <Row extends object>(
  client: { query: pg.ClientBase['query'] },
  statement: Statement,
  values: unknown[],
): Promise<Row[]> => {
  try {
    return await submit<Row>(client, statement, values);
  } catch (error) {
    // The stack of where the statement was issued, not of where its answer was read.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw toDatabaseError(error);
  }
};
