/**
 * A database as a folder: one file per table, in PostgreSQL's own text format, which every version from 14 on reads. So
 * a backup can be restored to any PostgreSQL, embedded or not, without its tools.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { toPrimaryUrl } from '../db/address.ts';
import { Sockets } from '../db/connection.ts';
import type { Queryable } from '../db/database.ts';
import { createSchema, enterOwnSchema, listMigrations, type AppliedMigration } from '../db/migrate.ts';
import { listCounters, listTables, setCounter, type Counter, type Table } from './tables.ts';

export interface Contents {
  migrations: AppliedMigration[];
  tables: string[];
  counters: Counter[];
}

/** A copy without these tables is not that of an instance, whatever else it has. */
const VITAL = ['users', 'tasks'];

/** @throws when it cannot be a complete instance */
export const assertVital = ({ migrations, tables }: Pick<Contents, 'migrations' | 'tables'>, what: string): void => {
  const missing = VITAL.filter((name) => !tables.includes(name));
  if (migrations.length === 0) missing.push('migrations');
  if (missing.length > 0) throw new Error(`${what} lacks what every instance of Berth has: ${missing.join(', ')}`);
};

const quote = (names: readonly string[]): string => names.map((name) => pg.escapeIdentifier(name)).join(', ');

const toFile = (folder: string, table: string): string => join(folder, `${table}.copy`);

const toQueryable = (client: pg.Client): Queryable => ({
  query: async <Row extends object>({ text }: { text: string }, values: unknown[] = []) =>
    (await client.query<Row>(text, values)).rows,
});

/** Row security off: reading fails then, instead of silently leaving out rows that a policy hides. */
const OPTIONS = '-c timezone=UTC -c datestyle=ISO -c client_encoding=UTF8 -c row_security=off';

/**
 * Calls back in a transaction. An abort breaks the connection, and with it whatever it waits for; once the callback has
 * returned, nothing stops the commit any more, so that its outcome is known.
 */
const withTransaction = async <Result>(
  url: string,
  { mode, signal }: { mode: string; signal: AbortSignal },
  callback: (client: pg.Client) => Promise<Result>,
): Promise<Result> => {
  const sockets = new Sockets();
  const client = new pg.Client({
    connectionString: await toPrimaryUrl(url),
    application_name: 'berth backup',
    options: OPTIONS,
    stream: sockets.create,
  });
  // A lost connection rejects pending queries; without a listener its error event would end the process.
  client.on('error', () => undefined);
  const abort = (): void => sockets.destroy();
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    await client.connect();
    await client.query(`begin isolation level ${mode}`);
    const result = await callback(client);
    signal.throwIfAborted();
    signal.removeEventListener('abort', abort);
    await client.query('commit');
    await client.end();
    return result;
  } catch (error) {
    signal.removeEventListener('abort', abort);
    sockets.destroy();
    throw error;
  }
};

const enterInstance = async (client: pg.Client): Promise<void> => {
  if ((await enterOwnSchema(client)) !== undefined) return;
  const text = `select current_database() as database, current_user as role, current_setting('search_path') as path`;
  const [row] = (await client.query<{ database: string; role: string; path: string }>(text)).rows;
  throw new Error(
    `the database "${row?.database}" holds nothing of Berth that the role "${row?.role}" sees (search_path: ${row?.path}); ` +
      'use the BERTH_DATABASE_URL of the server',
  );
};

const writeTable = async (client: pg.Client, folder: string, { name, columns }: Table): Promise<void> => {
  const rows = client.query(copyTo(`copy (select ${quote(columns)} from ${quote([name])}) to stdout`));
  await pipeline(rows, createWriteStream(toFile(folder, name), { flags: 'wx', mode: 0o600 }));
};

/**
 * Writes every table to the folder, all as of one moment, while others keep working.
 * @throws when the database is not that of an instance
 */
export const writeTables = (url: string, folder: string, signal: AbortSignal): Promise<Contents> =>
  withTransaction(url, { mode: 'repeatable read read only', signal }, async (client) => {
    await enterInstance(client);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const tables = await listTables(toQueryable(client));
    const found = { migrations: await listMigrations(client), tables: tables.map(({ name }) => name) };
    assertVital(found, 'the database');
    for (const table of tables) await writeTable(client, folder, table);
    const counters = await listCounters(toQueryable(client));
    return { ...found, counters };
  });

const readTable = async (client: pg.Client, folder: string, { name, columns }: Table): Promise<void> => {
  const rows = client.query(copyFrom(`copy ${quote([name])} (${quote(columns)}) from stdin`));
  await pipeline(createReadStream(toFile(folder, name)), rows);
};

/** Triggers are off in the meantime: what they once wrote is in the backup too. */
const replaceRows = async (client: pg.Client, folder: string, tables: Table[]): Promise<void> => {
  for (const { name } of tables) await client.query(`alter table ${quote([name])} disable trigger user`);
  await client.query(`truncate ${quote(tables.map(({ name }) => name))}`);
  for (const table of tables) await readTable(client, folder, table);
  await client.query('set constraints all immediate');
  for (const { name } of tables) await client.query(`alter table ${quote([name])} enable trigger user`);
};

/** Checks that the schema has none of our tables' names, and that our tables are in no other schema. */
const assertEmpty = async (client: pg.Client): Promise<void> => {
  const isOurs = (await enterOwnSchema(client)) !== undefined;
  const text = `select current_schema() as name, exists (
    select from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind in ('r', 'p')) as is_used`;
  const [row] = (await client.query<{ name: string | null; is_used: boolean }>(text)).rows;
  if (!row?.name) throw new Error('no schema of the search_path exists; create one (create schema …)');
  if (isOurs || row.is_used) throw new Error('the database is not empty; create a new one to restore into');
};

/**
 * Creates the schema of the backup in an empty database and fills it from the folder, in one transaction: whatever
 * happens, the database is as empty as before, or complete.
 * @param migrations their folder
 * @throws when this version does not know the schema
 */
export const readTables = (
  url: string,
  folder: string,
  { contents, migrations }: { contents: Contents; migrations: string },
  signal: AbortSignal,
): Promise<void> =>
  withTransaction(url, { mode: 'read committed', signal }, async (client) => {
    await assertEmpty(client);
    await createSchema(client, migrations, contents.migrations);
    await replaceRows(client, folder, await listTables(toQueryable(client)));
    for (const counter of contents.counters) await setCounter(toQueryable(client), counter);
    await client.query('analyze');
  });
