/**
 * Checks that Berth can use a PostgreSQL server, before anything is written to it. The checks are for problems that
 * would show up late and far from their cause: a non-UTF-8 encoding, and a pooler that gives each transaction another
 * connection, which breaks prepared statements, LISTEN, settings and the lock of the migrations, each only now and
 * then.
 */
import pg from 'pg';
import { toConnectionError } from './with-database.ts';

const OLDEST_MAJOR = 14;

/** Two connections are acquired and released in both orders, since poolers reuse the last or the first one. */
const ROUNDS = 3;

interface Facts {
  version: number;
  encoding: string;
  timezone: string;
}

const FACTS = `
  select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
    current_setting('timezone') as timezone`;

const POOLED =
  'BERTH_DATABASE_URL leads through a pooler, where prepared statements, LISTEN, locks and the settings of a connection break ' +
  '(PgBouncer: pool_mode, ignore_startup_parameters). Name PostgreSQL itself.';

const assertFacts = async (client: pg.Client): Promise<void> => {
  const { version, encoding, timezone } = (await client.query<Facts>(FACTS)).rows[0]!;
  const major = Math.floor(version / 10_000);
  if (major < OLDEST_MAJOR) throw new Error(`PostgreSQL ${major} is too old for Berth; use ${OLDEST_MAJOR} or newer`);
  if (encoding !== 'UTF8') {
    throw new Error(
      `the database is encoded in ${encoding}, and Berth needs UTF8. Create one (create database berth encoding 'UTF8' template template0); ` +
        'script/backup and script/restore move what is in this one.',
    );
  }
  // It was requested when the connection was made.
  if (timezone !== 'UTC') throw new Error(POOLED);
};

const readPid = async (client: pg.Client): Promise<number> =>
  (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;

/** Without a pooler, a connection is a single process of PostgreSQL from start to end, and used by nobody else. */
const assertSessions = async (first: pg.Client, second: pg.Client): Promise<void> => {
  const own = await readPid(first);
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? [first, second] : [second, first];
    for (const client of [second, first]) await client.query('begin');
    const [others, again] = [await readPid(second), await readPid(first)];
    for (const client of order) await client.query('commit');
    if (others === own || again !== own) throw new Error(POOLED);
  }
};

/** What PgBouncer answers to connection settings, and to transactions in statement pooling mode. */
const isPooler = (error: unknown): boolean =>
  error instanceof Error && /unsupported startup parameter|statement pooling mode/.test(error.message);

/** @throws with the reason and a remedy when Berth cannot work on this PostgreSQL */
export const assertSupportedServer = async (connectionString: string): Promise<void> => {
  const options = { connectionString, application_name: 'berth probe', options: '-c timezone=UTC' };
  const clients = [new pg.Client(options), new pg.Client(options)] as const;
  // A lost connection rejects pending queries; without a listener its error event would end the process.
  for (const client of clients) client.on('error', () => undefined);
  try {
    for (const client of clients) await client.connect();
    await assertFacts(clients[0]);
    await assertSessions(...clients);
  } catch (cause) {
    throw isPooler(cause) ? new Error(POOLED, { cause }) : toConnectionError(cause);
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()));
  }
};
