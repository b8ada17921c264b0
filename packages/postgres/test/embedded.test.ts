import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger, findProcess } from '@berth/kit';
import { endProcesses, spawnProcess, waitFor, withClient, type SpawnedProcess } from '@berth/testing';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ensureAccount } from '../src/account.ts';
import { ensureLayout } from '../src/layout.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../src/embedded-postgres.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const isRoot = process.getuid?.() === 0;
// Inside the repository, so that the driver finds the packages it imports.
const driver = fileURLToPath(new URL(`../../../.build/embedded-driver-${process.pid}.js`, import.meta.url));

let dataDir: string;
const opened: EmbeddedPostgres[] = [];

beforeAll(async () => {
  const source = fileURLToPath(new URL('./embedded-driver.ts', import.meta.url));
  const external = ['pg', 'pino'];
  await build({ entryPoints: [source], outfile: driver, bundle: true, platform: 'node', format: 'esm', external });
});

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'berth-embedded-'));
});

afterEach(async () => {
  await endProcesses();
  for (const postgres of opened.splice(0)) await postgres.stop();
  // One more start finds what a killed driver left, stops it, and knows what to remove.
  const last = await startEmbeddedPostgres({ dataDir, log, durable: false });
  await last.stop();
  last.remove();
  rmSync(dataDir, { recursive: true, force: true });
});

afterAll(() => rmSync(driver, { force: true }));

const start = async ({ durable = false } = {}): Promise<EmbeddedPostgres> => {
  const postgres = await startEmbeddedPostgres({ dataDir, log, durable });
  opened.push(postgres);
  return postgres;
};

const query = async <Row extends object>(url: string, sql: string): Promise<Row[]> =>
  withClient(url, async (client) => (await client.query<Row>(sql)).rows);

interface DriverReport {
  ready: boolean;
  pid: number;
  url: string;
  error?: string;
}

const spawnDriver = (): SpawnedProcess => spawnProcess(process.execPath, [driver, dataDir]);

const report = async (process: SpawnedProcess): Promise<DriverReport> => {
  const [line] = await process.waitForLine(/^\{"ready":.*$/);
  return JSON.parse(line) as DriverReport;
};

test('a start in a fresh folder gives a durable UTF-8 database that knows letter case in every alphabet', async () => {
  const { url } = await start({ durable: true });
  const settings = ['synchronous_commit', 'fsync', 'full_page_writes', 'listen_addresses', 'timezone'];
  const [row] = await query(
    url,
    `select ${settings.map((name) => `current_setting('${name}')`).join(`||','||`)} as all`,
  );
  expect(row).toEqual({ all: 'on,on,on,,UTC' });
  expect(await query(url, `select lower('ÄЖ') as lower, current_setting('server_encoding') as encoding`)).toEqual([
    { lower: 'äж', encoding: 'UTF8' },
  ]);
});

test('a start lets nobody but the owner and root near the socket, and never runs PostgreSQL as root', async () => {
  const postgres = await start();
  const socketDir = String(postgres.connection.host);
  expect(statSync(socketDir).mode & 0o777).toBe(0o700);
  const owner = statSync(`/proc/${postgres.pid}`).uid;
  expect(owner).toBe(statSync(socketDir).uid);
  expect(owner).toBe(isRoot ? (await ensureAccount()).uid : process.getuid?.());
  expect(owner).not.toBe(0);
});

test('a start finds what was written before the stop, and a stop leaves no process', async () => {
  const first = await start();
  await query(first.url, 'create table kept as select 7 as value');
  const pid = first.pid ?? 0;
  await first.stop();
  expect(findProcess(pid)).toBeUndefined();
  expect(await query((await start()).url, 'select value from kept')).toEqual([{ value: 7 }]);
});

test('a start throws a half-made database away', async () => {
  const layout = ensureLayout({ dataDir, account: isRoot ? await ensureAccount() : undefined, log });
  mkdirSync(join(layout.home, 'cluster.new-abcdef', 'base'), { recursive: true });
  writeFileSync(join(layout.home, 'cluster.new-abcdef', 'PG_VERSION'), '18');
  expect(await query((await start()).url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a start is not misled by PID files that name a process of something else', async () => {
  const first = await start();
  await first.stop();
  const { clusterDir, socketDir } = ensureLayout({
    dataDir,
    account: isRoot ? await ensureAccount() : undefined,
    log,
  });
  writeFileSync(join(clusterDir, 'postmaster.pid'), `${process.pid}\n${clusterDir}\n`);
  writeFileSync(join(socketDir, '.s.PGSQL.5432.lock'), `${process.ppid}\n`);
  expect(await query((await start()).url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a start that is aborted leaves no process behind', async () => {
  const abort = new AbortController();
  const starting = startEmbeddedPostgres({ dataDir, log, signal: abort.signal });
  await waitFor(() => readdirSync(dataDir).includes('postgres'));
  abort.abort();
  await expect(starting).rejects.toThrow(/abort/i);
  expect(await query((await start()).url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a start in a folder with a long path puts the socket into a short one', () => {
  const long = join(dataDir, 'x'.repeat(100));
  const { socketDir, home } = ensureLayout({ dataDir: long, account: undefined, log });
  expect(socketDir.startsWith(home)).toBe(false);
  expect(Buffer.byteLength(`${socketDir}/.s.PGSQL.5432`)).toBeLessThanOrEqual(103);
  expect(statSync(socketDir).mode & 0o777).toBe(0o700);
  rmSync(socketDir, { recursive: true });
});

test('a data directory in use is refused, with the process id and the ways out', async () => {
  const holder = spawnDriver();
  await report(holder);
  await expect(start()).rejects.toThrow(new RegExp(`process id ${holder.pid}\\b.*BERTH_DATA_DIR.*BERTH_PORT`));
});

test('a data directory in use is refused to a second start of the same process', async () => {
  await start();
  await expect(start()).rejects.toThrow(`process id ${process.pid}`);
});

test('a data directory in use goes to exactly one of several servers that start at once', async () => {
  const drivers = Array.from({ length: 4 }, spawnDriver);
  const reports = await Promise.all(drivers.map(report));
  const winners = reports.filter(({ ready }) => ready);
  expect(winners).toHaveLength(1);
  expect(await query(winners[0]!.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  for (const { error } of reports.filter(({ ready }) => !ready)) expect(error).toMatch(/in use by the server/);
});

test('a data directory in use is free again when its server stops on SIGTERM', async () => {
  const holder = spawnDriver();
  const { pid } = await report(holder);
  holder.kill('SIGTERM');
  expect(await holder.ended).toEqual({ code: 0, signal: null });
  expect(findProcess(pid)).toBeUndefined();
  await start();
});

test('after a kill -9 of the server, the next start stops the orphaned PostgreSQL and has all that was committed', async () => {
  const killed = spawnDriver();
  const orphan = await report(killed);
  await query(orphan.url, 'create table kept as select 7 as value');
  killed.kill('SIGKILL');
  await killed.ended;
  expect(findProcess(orphan.pid)).toBeDefined();
  const next = await start();
  expect(findProcess(orphan.pid)).toBeUndefined();
  expect(await query(next.url, 'select value from kept')).toEqual([{ value: 7 }]);
});

test('after a kill -9 of PostgreSQL under load, it comes back by itself and has every row whose insert was confirmed', async () => {
  const postgres = await start();
  const exits: (string | null)[] = [];
  postgres.onExit(({ signal }) => exits.push(signal));
  await query(postgres.url, 'create table kept (value int)');
  let confirmed = 0;
  const load = withClient(postgres.url, async (client) => {
    client.on('error', () => undefined);
    for (let value = 1; ; value += 1) {
      await client.query('insert into kept values ($1)', [value]);
      confirmed = value;
    }
  });
  const broken = expect(load).rejects.toThrow();
  await waitFor(() => confirmed > 100);
  const killed = postgres.pid ?? 0;
  process.kill(killed, 'SIGKILL');
  await broken;
  const pid = await waitFor(() => (postgres.pid === killed ? undefined : postgres.pid));
  expect(findProcess(pid)).toBeDefined();
  expect(exits).toEqual(['SIGKILL']);
  const [row] = await query<{ max: number }>(postgres.url, 'select max(value) from kept');
  expect(row?.max).toBeGreaterThanOrEqual(confirmed);
});

test('after a kill -9 of PostgreSQL again and again, a stop in the middle of a restart still leaves no process', async () => {
  const postgres = await start();
  for (let round = 0; round < 3; round += 1) {
    const pid = await waitFor(() => postgres.pid);
    process.kill(pid, 'SIGKILL');
    await waitFor(() => postgres.pid !== pid);
  }
  await postgres.stop();
  expect(postgres.pid).toBeUndefined();
  await start();
});
