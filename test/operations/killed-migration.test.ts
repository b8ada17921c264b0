/**
 * A server that is killed in the middle of a slow migration: the next start applies it whole, and does not wait for the
 * one that is gone.
 */
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  createTestDatabase,
  endProcesses,
  spawnProcess,
  startTestStack,
  waitFor,
  withClient,
  type TestDatabase,
} from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';

const TIMEOUT_MS = 600_000;
const SERVER = resolve(import.meta.dirname, '../../apps/server');
/** Sleeps, in the middle, for as long as nobody could wait, but only where the test wants it. */
const SLOW = `create table first_half (id int);
select pg_sleep(86400) where to_regclass('public.hold_up') is not null;
create table second_half (id int);
`;

let folder: string;
let database: TestDatabase;

beforeAll(async () => {
  // A copy of the server with one migration more.
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'berth-migration-')));
  cpSync(SERVER, join(folder, 'apps', 'server'), {
    recursive: true,
    filter: (path) => !/\/(node_modules|src|test)$/.test(path),
  });
  symlinkSync(resolve(SERVER, '../../node_modules'), join(folder, 'node_modules'));
  symlinkSync(resolve(SERVER, '../../packages'), join(folder, 'packages'));
  writeFileSync(join(folder, 'apps', 'server', 'migrations', '999999_slow.sql'), SLOW);
  database = await createTestDatabase();
}, TIMEOUT_MS);
afterAll(async () => {
  await endProcesses();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

const ask = <Row extends object>(text: string): Promise<Row[]> =>
  withClient(database.url, async (client) => (await client.query<Row>(text)).rows);

const countHalves = async (): Promise<number> =>
  (await ask(`select 1 from pg_tables where tablename in ('first_half', 'second_half')`)).length;

it(
  'a migration that was killed half way is applied whole by the next start',
  async () => {
    await ask('create table hold_up ()');
    const mainFile = join(folder, 'apps', 'server', 'dist', 'main.js');
    const environment = { BERTH_DATABASE_URL: database.url };
    const dataDir = mkdtempSync(join(folder, 'data-'));
    const env = { PATH: process.env.PATH, BERTH_PORT: '0', BERTH_DATA_DIR: dataDir, ...environment };
    const program = spawnProcess(process.execPath, [mainFile], { env });
    const isAsleep = async () =>
      (await ask(`select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`))
        .length === 1;
    await waitFor(isAsleep, { what: 'a migration under way', timeoutMs: 120_000 });
    program.kill('SIGKILL');
    await program.ended;
    expect(await countHalves()).toBe(0);

    await ask('drop table hold_up');
    const stack = await startTestStack({ mainFile, hasLocalHosts: false, environment, dataDir });
    expect(await countHalves()).toBe(2);
    expect(await ask(`select count(*)::int as count from migrations where name = '999999_slow.sql'`)).toEqual([
      { count: 1 },
    ]);
    await stack.close();
  },
  TIMEOUT_MS,
);
