/** A statement, how it is run, and what its errors mean. */
import pg from 'pg';

/** A prepared statement: named, so that PostgreSQL parses and plans it once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

const known = new Map<string, Statement>();

/**
 * Without a name it is parsed at each use: for what runs once.
 * @throws Error when the name stands for another text already: a connection would take one for the other
 */
export const sql = (name: string, text: string): Statement => {
  if (name === '') return { name, text };
  if ((known.get(name)?.text ?? text) !== text) throw new Error(`two statements have the name ${name}`);
  const statement = { name, text };
  known.set(name, statement);
  return statement;
};

/** Every statement with a name, of the modules that are loaded. */
export const listStatements = (): Statement[] => [...known.values()];

/** Anything that runs a statement: the pipeline, the pool, or a transaction. */
export interface Queryable {
  query<Row extends object>(statement: Statement, values?: unknown[]): Promise<Row[]>;
}

/** A transaction under way. */
export interface Transaction extends Queryable {
  /** Called when the transaction's work is done, in the order of the calls; part of the transaction. */
  beforeCommit(callback: () => Promise<void>): void;
  /** Called once the transaction is committed, in the order of the calls; never where it is rolled back. It must not throw. */
  afterCommit(callback: () => void): void;
}

/** Does the work of a transaction, with what is left for its end. The caller begins it before, and commits it after. */
export const runTransaction = async <Result>(
  { query }: { query: Transaction['query'] },
  callback: (tx: Transaction) => Promise<Result>,
  afterCommit: Transaction['afterCommit'],
): Promise<Result> => {
  const last: (() => Promise<void>)[] = [];
  const result = await callback({ query, afterCommit, beforeCommit: (then) => void last.push(then) });
  for (const then of last) await then();
  return result;
};

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

/** SQLSTATE classes and codes of a connection that is gone (25P03: we were silent for too long), a server that is going, or one that became a standby. */
const isUnavailable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^(08|57P)/.test(code) || ['53300', '25006', '25P03'].includes(code)) return true;
  if (/^(ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code)) return true;
  return /Connection terminated|connection error|Client has encountered|not queryable|timeout exceeded/i.test(
    error.message,
  );
};

/** The disk of PostgreSQL is full (53100), or, as files of this process tell it, our own. A quota of a file system is told in words. */
export const isDiskFull = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return /^(53100|ENOSPC|EDQUOT)$/.test(code) || /No space left on device|Disk quota exceeded/.test(error.message);
};

/** A row that the new one refers to is gone (23503): it was there when it was looked for. */
export const isReferenceGone = (error: unknown, constraint: string): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === '23503' &&
  'constraint' in error &&
  error.constraint === constraint;

const MAX_DEADLOCK_ATTEMPTS = 4;

const isDeadlock = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '40P01';

/**
 * Runs it again when PostgreSQL chose it as the victim of a deadlock, which did nothing; so it must change nothing but the
 * database.
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

/** What `pg` makes of a configuration object is a copy of it, which takes longer than all the rest of a query's preparation. */
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
    // Where the statement was asked for, instead of where its answer was read.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw toDatabaseError(error);
  }
};
