/**
 * A database as a folder: one file a table, in PostgreSQL's own text format, which every version from 14 on reads. So a
 * backup fits any PostgreSQL, embedded or not, and needs none of its tools.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { toPrimaryUrl } from '../db/address.ts';
import type { Queryable } from '../db/database.ts';
import { listCounters, listTables, setCounter, type Counter, type Table } from './tables.ts';

export interface AppliedMigration {
  name: string;
  sha256: string;
}

export interface Contents {
  migrations: AppliedMigration[];
  tables: string[];
  counters: Counter[];
}

const quote = (names: readonly string[]): string => names.map((name) => pg.escapeIdentifier(name)).join(', ');

const toFile = (folder: string, table: string): string => join(folder, `${table}.copy`);

const toQueryable = (client: pg.Client): Queryable => ({
  query: async <Row extends object>({ text }: { text: string }, values: unknown[] = []) =>
    (await client.query<Row>(text, values)).rows,
});

const withClient = async <Result>(url: string, callback: (client: pg.Client) => Promise<Result>): Promise<Result> => {
  const options = '-c timezone=UTC -c datestyle=ISO -c client_encoding=UTF8';
  const client = new pg.Client({
    connectionString: await toPrimaryUrl(url),
    application_name: 'berth backup',
    options,
  });
  // A lost connection rejects what is under way; without a listener its event would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await callback(client);
  } finally {
    await client.end();
  }
};

const listMigrations = async (client: pg.Client): Promise<AppliedMigration[]> =>
  (await client.query<AppliedMigration>('select name, sha256 from migrations order by name')).rows;

const writeTable = async (client: pg.Client, folder: string, { name, columns }: Table): Promise<void> => {
  const rows = client.query(copyTo(`copy (select ${quote(columns)} from ${quote([name])}) to stdout`));
  await pipeline(rows, createWriteStream(toFile(folder, name), { flags: 'wx', mode: 0o600 }));
};

/** Writes every table to the folder, all as of one moment, while others go on working. */
export const writeTables = (url: string, folder: string): Promise<Contents> =>
  withClient(url, async (client) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await client.query('begin isolation level repeatable read read only');
    const tables = await listTables(toQueryable(client));
    for (const table of tables) await writeTable(client, folder, table);
    const counters = await listCounters(toQueryable(client));
    const contents = { migrations: await listMigrations(client), tables: tables.map(({ name }) => name), counters };
    await client.query('commit');
    return contents;
  });

const readTable = async (client: pg.Client, folder: string, { name, columns }: Table): Promise<void> => {
  const rows = client.query(copyFrom(`copy ${quote([name])} (${quote(columns)}) from stdin`));
  await pipeline(createReadStream(toFile(folder, name)), rows);
};

/** Triggers rest meanwhile: what they once wrote is in the backup too. */
const replaceRows = async (client: pg.Client, folder: string, tables: Table[]): Promise<void> => {
  await client.query(`truncate ${quote(tables.map(({ name }) => name))}`);
  for (const { name } of tables) await client.query(`alter table ${quote([name])} disable trigger user`);
  for (const table of tables) await readTable(client, folder, table);
  await client.query('set constraints all immediate');
  for (const { name } of tables) await client.query(`alter table ${quote([name])} enable trigger user`);
};

/**
 * Fills a database, whose schema is that of the backup, from the folder: all or nothing.
 * @throws when the schema is another one
 */
export const readTables = (url: string, folder: string, contents: Contents): Promise<void> =>
  withClient(url, async (client) => {
    const migrations = await listMigrations(client);
    if (JSON.stringify(migrations) !== JSON.stringify(contents.migrations)) {
      throw new Error(
        'the schema of the backup is not one that this version of Berth knows; use the version that made it',
      );
    }
    const tables = await listTables(toQueryable(client));
    await client.query('begin');
    try {
      await replaceRows(client, folder, tables);
      for (const counter of contents.counters) await setCounter(toQueryable(client), counter);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
    await client.query('analyze');
  });

/** True when nobody has a table in it. */
export const isEmptyDatabase = (url: string): Promise<boolean> =>
  withClient(url, async (client) => {
    const text = `select exists (
      select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')) as is_used`;
    return (await client.query<{ is_used: boolean }>(text)).rows[0]?.is_used === false;
  });
