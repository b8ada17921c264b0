import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { MIGRATION_LOCK } from './locks.ts';

/**
 * The schema that holds Berth's tables: the first one of the role's `search_path` when they were created. That is
 * "public" only where the role may create tables in it, which by default it may not since PostgreSQL 15. The table of
 * migrations identifies it; other programs may have one of the same name.
 */

const FIND = `
  select n.nspname as name
  from unnest(current_schemas(false)) with ordinality as path (name, place)
  join pg_namespace n on n.nspname = path.name
  join pg_class c on c.relnamespace = n.oid and c.relname = 'migrations' and c.relkind = 'r'
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'sha256'
  order by path.place
  limit 1`;

/**
 * Puts it first in the connection's search path, so that unqualified names mean its tables. Undefined when there is
 * none.
 */
export const enterOwnSchema = async (client: pg.ClientBase): Promise<string | undefined> => {
  const name = (await client.query<{ name: string }>(FIND)).rows[0]?.name;
  if (name === undefined) return undefined;
  const enter = `select set_config('search_path', concat_ws(', ', quote_ident($1), nullif(current_setting('search_path'), '')), false)`;
  await client.query(enter, [name]);
  return name;
};

/**
 * PostgreSQL checks whether the client is still connected: a killed server must not keep the lock until its statement
 * ends.
 */
const OPTIONS = '-c timezone=UTC -c client_connection_check_interval=1000';

export interface AppliedMigration {
  name: string;
  sha256: string;
}

interface Migration extends AppliedMigration {
  text: string;
}

const readMigrations = async (folder: string): Promise<Migration[]> => {
  const names = (await readdir(folder)).filter((name) => /^\d{6}_[a-z0-9_]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') };
    }),
  );
};

const ensureMigrationsTable = (client: pg.Client): Promise<unknown> =>
  client.query(
    'create table if not exists migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
  );

export const listMigrations = async (client: pg.Client): Promise<AppliedMigration[]> =>
  (await client.query<AppliedMigration>('select name, sha256 from migrations order by name')).rows;

const applyWithin = async (client: pg.Client, { name, text, sha256 }: Migration): Promise<void> => {
  await client.query(text);
  await client.query('insert into migrations (name, sha256) values ($1, $2)', [name, sha256]);
};

const applyMigration = async (client: pg.Client, migration: Migration): Promise<void> => {
  await client.query('begin');
  try {
    await applyWithin(client, migration);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`migration ${migration.name} failed; the database is as it was before it`, { cause: error });
  }
};

/**
 * Migrates the schema: each new file of the folder in its own transaction, in the order of names, under a lock that
 * lets several servers start at once.
 * @throws when a released migration was changed, or the database has one that this version does not know
 */
export const migrate = async (connectionString: string, folder: string): Promise<void> => {
  const migrations = await readMigrations(folder);
  const client = new pg.Client({ connectionString, application_name: 'berth migrate', options: OPTIONS });
  // A lost connection rejects pending queries; without a listener its error event would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await enterOwnSchema(client);
    await ensureMigrationsTable(client);
    const applied = new Map((await listMigrations(client)).map((row) => [row.name, row.sha256]));
    for (const migration of migrations) {
      const known = applied.get(migration.name);
      if (known === undefined) await applyMigration(client, migration);
      else if (migration.sha256 !== known) {
        throw new Error(`migration ${migration.name} was changed after it was applied`);
      }
      applied.delete(migration.name);
    }
    if (applied.size > 0) {
      throw new Error(`the database is newer than this server: it has ${[...applied.keys()].join(', ')}`);
    }
  } finally {
    await client.end();
  }
};

/**
 * Creates the schema of these migrations, in an empty database and within the caller's transaction.
 * @throws when this version lacks a migration of the name, or has a different one
 */
export const createSchema = async (
  client: pg.Client,
  folder: string,
  wanted: readonly AppliedMigration[],
): Promise<void> => {
  const known = new Map((await readMigrations(folder)).map((migration) => [migration.name, migration]));
  await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
  await ensureMigrationsTable(client);
  for (const { name, sha256 } of wanted) {
    const migration = known.get(name);
    if (migration?.sha256 !== sha256) {
      throw new Error(
        'the schema of the backup is not one that this version of Berth knows; use the version that made it',
      );
    }
    await applyWithin(client, migration);
    // A later migration may only alter a table that has no pending constraint checks.
    await client.query('set constraints all immediate; set constraints all deferred');
  }
};

/**
 * For what works on a database without migrating it.
 * @throws unless its schema is the one of these migrations
 */
export const assertMigrated = async (connectionString: string, folder: string): Promise<void> => {
  const wanted = (await readMigrations(folder)).map(({ name }) => name);
  const client = new pg.Client({ connectionString, application_name: 'berth command', options: OPTIONS });
  client.on('error', () => undefined);
  await client.connect();
  try {
    if ((await enterOwnSchema(client)) === undefined)
      throw new Error('the database is empty; the first start of the server fills it');
    const applied = new Set((await listMigrations(client)).map(({ name }) => name));
    if (wanted.length === applied.size && wanted.every((name) => applied.has(name))) return;
    throw new Error('the database is of another version of Berth; use the command of the version that the server has');
  } finally {
    await client.end();
  }
};
