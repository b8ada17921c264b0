import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

/** Any number, the same in every server: only its holder migrates. */
const MIGRATION_LOCK = 4_826_190_355;

interface Migration {
  name: string;
  text: string;
  sha256: string;
}

const readMigrations = async (folder: string, only: ReadonlySet<string> | undefined): Promise<Migration[]> => {
  const names = (await readdir(folder))
    .filter((name) => /^\d{6}_[a-z0-9_]+\.sql$/.test(name) && (only?.has(name) ?? true))
    .sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') };
    }),
  );
};

const applyMigration = async (client: pg.Client, { name, text, sha256 }: Migration): Promise<void> => {
  await client.query('begin');
  try {
    await client.query(text);
    await client.query('insert into migrations (name, sha256) values ($1, $2)', [name, sha256]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`migration ${name} failed; the database is as it was before it`, { cause: error });
  }
};

/**
 * Brings the schema up to date: each new file of the folder in its own transaction, in the order of names, under a lock
 * that lets several servers start at once.
 * @param only the names to apply, for the schema of an earlier version; without it all
 * @throws when a released migration was changed, or the database holds one that this version does not know.
 */
export const migrate = async (connectionString: string, folder: string, only?: ReadonlySet<string>): Promise<void> => {
  const migrations = await readMigrations(folder, only);
  const client = new pg.Client({ connectionString, application_name: 'berth migrate', options: '-c timezone=UTC' });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await client.query(
      'create table if not exists migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
    );
    const { rows } = await client.query<{ name: string; sha256: string }>('select name, sha256 from migrations');
    const applied = new Map(rows.map((row) => [row.name, row.sha256]));
    for (const migration of migrations) {
      const known = applied.get(migration.name);
      if (known === undefined) await applyMigration(client, migration);
      else if (known !== migration.sha256)
        throw new Error(`migration ${migration.name} was changed after it was applied`);
      applied.delete(migration.name);
    }
    if (applied.size > 0) {
      throw new Error(`the database is newer than this server: it has ${[...applied.keys()].join(', ')}`);
    }
  } finally {
    await client.end();
  }
};
