/** An instance in a schema of its own, as a role without rights on "public" has it: backups hold it, restorations make it. */
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Berth } from '@berth/client';
import { createTestDatabase, startTestStack, withClient, type TestDatabase, type TestStack } from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runProgram } from './commands.ts';

const TIMEOUT_MS = 600_000;
/** Of every server on either database. */
const KEY = '7'.repeat(64);

let folder: string;
let file: string;
let source: TestDatabase;
let target: TestDatabase;
let stack: TestStack;

/** A database whose roles look for tables in this schema first; another program's tables are in "public". */
const createDatabase = async (schema: string): Promise<TestDatabase> => {
  const database = await createTestDatabase();
  await withClient(database.url, async (client) => {
    await client.query(`drop schema public cascade; create schema public; create schema "${schema}"`);
    await client.query('create table public.migrations (id int, migration text); create table public.users (id int)');
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    await client.query(`alter database ${rows[0]!.name} set search_path to "${schema}", public`);
  });
  return database;
};

const start = (url: string, dataDir = mkdtempSync(join(folder, 'data-'))): Promise<TestStack> =>
  startTestStack({ hasLocalHosts: false, dataDir, environment: { BERTH_DATABASE_URL: url, BERTH_SECRET_KEY: KEY } });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'berth-schema-'));
  file = join(folder, 'berth.backup');
  source = await createDatabase('Berth and its tables');
  target = await createDatabase('elsewhere');
  stack = await start(source.url);
}, TIMEOUT_MS);

afterAll(async () => {
  await stack.close();
  await Promise.all([source.close(), target.close()]);
  rmSync(folder, { recursive: true, force: true });
});

it('a backup holds the tables of the schema in which the server keeps them', { timeout: TIMEOUT_MS }, async () => {
  const { user } = await stack.register('Schemata');
  const settings = { BERTH_DATA_DIR: stack.dataDir, BERTH_DATABASE_URL: source.url };
  const made = await runProgram('backup-main', settings, file);
  expect(made).toMatchObject({ code: 0 });
  expect(Number(/holds (\d+) tables/.exec(made.output)?.[1])).toBeGreaterThan(10);
  const dataDir = join(folder, 'restored');
  const restored = { BERTH_DATA_DIR: dataDir, BERTH_DATABASE_URL: target.url };
  expect(await runProgram('restore-main', restored, file)).toMatchObject({ code: 0 });
  const copy = await start(target.url, dataDir);
  const { email, password } = user;
  const login = await new Berth({ baseUrl: copy.url }).auth.login({ email, password });
  expect(login.user).toMatchObject({ email });
  await copy.close();
});

it('a backup of a database in which the role sees no instance fails, says why, and leaves no file', async () => {
  const empty = await createDatabase('nothing');
  const none = join(folder, 'none.backup');
  const settings = { BERTH_DATA_DIR: stack.dataDir, BERTH_DATABASE_URL: empty.url };
  const made = await runProgram('backup-main', settings, none);
  expect(made).toMatchObject({ code: 1, output: expect.stringContaining('search_path: nothing, public') as string });
  await withClient(empty.url, (client) => client.query(`create table migrations (name text, sha256 text)`));
  const half = await runProgram('backup-main', settings, none);
  expect(half).toMatchObject({ code: 1, output: expect.stringContaining('users, tasks, migrations') as string });
  expect(existsSync(none)).toBe(false);
  await empty.close();
});

it(
  'a schema that comes before that of the tables does not make the server begin anew',
  { timeout: TIMEOUT_MS },
  async () => {
    await withClient(source.url, async (client) => {
      const { rows } = await client.query<{ name: string }>('select current_database() as name');
      await client.query('create schema newer');
      await client.query(`alter database ${rows[0]!.name} set search_path to newer, "Berth and its tables", public`);
    });
    const next = await start(source.url);
    expect(next.server.output).toContain('printed at the first start');
    await next.close();
    expect(statSync(file).size).toBeGreaterThan(0);
  },
);
