import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { waitFor } from './wait-for.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The run's PostgreSQL, as its superuser; the database in it is empty. Provided by global-setup.ts. */
    postgresUrl: string;
  }
}

export interface TestDatabase {
  /** A connection string to a database with the current schema and nothing in it. */
  url: string;
  /** Drops the database. Rejects when connections to it were left open: that is a leak in the test or in what it tests. */
  close(): Promise<void>;
}

export const TEMPLATE_DATABASE = 'berth_template';

/** A migrated database of one's own, cloned from the template in some tens of milliseconds. Needs the global setup. */
export const createTestDatabase = async (): Promise<TestDatabase> => {
  const adminUrl = inject('postgresUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await withClient(adminUrl, (admin) => admin.query(`create database ${name} template ${TEMPLATE_DATABASE}`));
  const url = toDatabaseUrl(adminUrl, name);
  // Otherwise the age of the template would be taken for a downtime of all servers.
  await withClient(url, (client) => client.query('update scheduler set last_run_at = now(), completed_at = now()'));
  return {
    url,
    close: () => withClient(adminUrl, (admin) => dropDatabase(admin, name)),
  };
};

/** The same server, another database. */
export const toDatabaseUrl = (url: string, database: string): string => {
  const result = new URL(url);
  result.pathname = `/${database}`;
  return result.href;
};

/** Connects, calls back, and disconnects whatever happens. */
export const withClient = async <Result>(
  connectionString: string,
  callback: (client: pg.Client) => Promise<Result>,
): Promise<Result> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await callback(client);
  } finally {
    await client.end();
  }
};

/** A connection that was just closed needs a moment to be gone from the list; one that stays was left open. */
const LEAK_TIMEOUT_MS = 20_000;

interface Connection {
  application_name: string;
  state: string | null;
  query: string;
}

const dropDatabase = async (admin: pg.Client, name: string): Promise<void> => {
  let left: Connection[] = [];
  const isFree = async (): Promise<boolean> => {
    // PostgreSQL's own work, such as a vacuum, comes and goes as it likes.
    const sql = `select application_name, state, query from pg_stat_activity
      where datname = $1 and backend_type = 'client backend'`;
    left = (await admin.query<Connection>(sql, [name])).rows;
    return left.length === 0;
  };
  try {
    await waitFor(isFree, { timeoutMs: LEAK_TIMEOUT_MS, what: `closing every connection to ${name}` });
  } catch (cause) {
    throw new Error(`connections to ${name} were left open: ${JSON.stringify(left)}`, { cause });
  } finally {
    await admin.query(`drop database ${name} with (force)`);
  }
};
