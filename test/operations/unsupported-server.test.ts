/** Databases on which Berth would break later and far from the cause: the start says so. PgBouncer is the real one, where there is one. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createTestDatabase,
  endProcesses,
  findFreePort,
  spawnProcess,
  toDatabaseUrl,
  withClient,
  type TestDatabase,
} from '@berth/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runProgram, startProgram } from './commands.ts';

const TIMEOUT_MS = 600_000;
const PATH = `${process.env.PATH}:/usr/sbin`;

let folder: string;
let database: TestDatabase;

const toSettings = (url: string) => ({
  BERTH_PORT: '0',
  BERTH_DATABASE_URL: url,
  BERTH_DATA_DIR: mkdtempSync(join(folder, 'data-')),
});

const countRows = async (table: string): Promise<number | null> =>
  (await withClient(database.url, (client) => client.query(`select from ${table}`))).rowCount;

/** In front of the test's database; as root under the account whose socket it is. */
const startPgBouncer = async (settings: Record<string, string>): Promise<string> => {
  const { searchParams, pathname, username } = new URL(database.url);
  const port = await findFreePort();
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'any',
    ignore_startup_parameters: 'options',
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const target = `host=${searchParams.get('host')} port=5432 user=${username}`;
  const file = join(mkdtempSync(join(folder, 'pgbouncer-')), 'pgbouncer.ini');
  writeFileSync(file, `[databases]\n* = ${target}\n[pgbouncer]\n${lines.join('\n')}\n`);
  for (const path of [folder, join(file, '..'), file]) chmodSync(path, 0o755);
  const args = process.getuid?.() === 0 ? ['-u', 'berth', file] : [file];
  const bouncer = spawnProcess('pgbouncer', args, { env: { PATH } });
  await bouncer.waitForLine(/process up/);
  return `postgres://${username}@127.0.0.1:${port}${pathname}`;
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'berth-unsupported-'));
  database = await createTestDatabase();
});
afterEach(() => endProcesses());
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a start is refused', { timeout: TIMEOUT_MS }, () => {
  it('on a database that is not encoded in UTF-8', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await withClient(database.url, (client) =>
      client.query(`create database ${name}_ascii encoding 'SQL_ASCII' locale 'C' template template0`),
    );
    const { code, output } = await runProgram('main', toSettings(toDatabaseUrl(database.url, `${name}_ascii`)));
    await withClient(database.url, (client) => client.query(`drop database ${name}_ascii`));
    expect([code, output]).toEqual([1, expect.stringContaining('encoded in SQL_ASCII')]);
    expect(output).toContain("encoding 'UTF8'");
  });

  it('on a PostgreSQL that is not there, or has no such database, with the name of the setting', async () => {
    const nobody = `postgres://berth:hidden@127.0.0.1:${await findFreePort()}/berth`;
    const away = await runProgram('main', toSettings(nobody));
    expect([away.code, away.output]).toEqual([1, expect.stringMatching(/BERTH_DATABASE_URL .*ECONNREFUSED.*listen/)]);
    expect(away.output).not.toContain('hidden');
    const missing = await runProgram('main', toSettings(toDatabaseUrl(database.url, 'no_such_database')));
    expect([missing.code, missing.output]).toEqual([1, expect.stringContaining('create database berth')]);
  });

  const pools = [
    ['transactions', { pool_mode: 'transaction' }],
    [
      'transactions, with the connections in turn',
      { pool_mode: 'transaction', server_round_robin: '1', min_pool_size: '5' },
    ],
    ['statements', { pool_mode: 'statement' }],
    ['transactions and refuses settings', { pool_mode: 'transaction', ignore_startup_parameters: '' }],
  ] as const;

  it.each(pools)('behind a PgBouncer that pools %s', { tags: ['proxies'] }, async (_, settings) => {
    const url = await startPgBouncer(settings);
    const { code, output } = await runProgram('main', toSettings(url));
    expect([code, output]).toEqual([1, expect.stringContaining('pooler')]);
    expect(output).toContain('BERTH_DATABASE_URL');
    expect(await countRows('users')).toBe(0);
  });
});

it('a server and a database that suit each other start', { timeout: TIMEOUT_MS }, async () => {
  const server = startProgram('main', toSettings(database.url));
  await server.waitForLine(/Berth is ready/, { timeoutMs: TIMEOUT_MS });
  server.kill('SIGTERM');
  expect(await server.ended).toMatchObject({ code: 0 });
});
