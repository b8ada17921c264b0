/** A release with one migration more takes over from the one before, server by server, while users and a host go on working. */
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TaskStatus } from '@berth/contract';
import {
  createTestClient,
  endProcesses,
  startTestStack,
  waitFor,
  waitForAll,
  type TestClient,
  type TestStack,
} from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBalancer, type Balancer } from './balancer.ts';
import { createTerminal, startHost, startLoad } from './cluster.ts';

const TIMEOUT_MS = 600_000;
const TASKS_PER_STEP = 8;
const ROOT = join(import.meta.dirname, '../..');

/** What a release may do to a schema that the one before still uses: add, never take away. */
const MIGRATION = `alter table tasks add column note text;
create index tasks_by_note on tasks (note) where note is not null;
create table notes (task_id uuid primary key, text text not null);`;

const servers: TestStack[] = [];
const urls: string[] = [];
let balancer: Balancer;
let client: TestClient;
let nextRelease: string;

const shared = { BERTH_SECRET_KEY: randomBytes(32).toString('hex'), BERTH_DEFAULT_PLATFORM: 'sandbox' };
const toEnvironment = () => ({ ...shared, BERTH_DATABASE_URL: servers[0]!.databaseUrl });

/** This checkout's server with one migration more; inside the checkout, so that it finds the same packages. */
const buildNextRelease = (): string => {
  const parent = join(ROOT, '.build');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'next-release-'));
  for (const part of ['dist', 'migrations', 'package.json']) {
    cpSync(join(ROOT, 'apps/server', part), join(folder, 'apps/server', part), { recursive: true });
  }
  const migrations = join(folder, 'apps/server/migrations');
  const number = String(readdirSync(migrations).length + 1).padStart(6, '0');
  writeFileSync(join(migrations, `${number}_notes.sql`), MIGRATION);
  return folder;
};

beforeAll(async () => {
  nextRelease = buildNextRelease();
  servers.push(await startTestStack({ hasLocalHosts: false, environment: shared }));
  servers.push(await startTestStack({ hasLocalHosts: false, environment: toEnvironment() }));
  urls.push(...servers.map(({ url }) => url));
  balancer = await startBalancer(urls);
  client = createTestClient(balancer.url);
  await startHost(servers[0]!, balancer.url);
}, TIMEOUT_MS);

afterAll(async () => {
  await balancer?.close();
  await endProcesses();
  for (const server of servers.reverse()) await server.close().catch(() => undefined);
  rmSync(nextRelease, { recursive: true, force: true });
}, TIMEOUT_MS);

const query = async (text: string, values: unknown[] = []) =>
  (await servers[0]!.query<{ count: number }>(text, values))[0]!.count;

const startNext = async (): Promise<void> => {
  const mainFile = join(nextRelease, 'apps/server/dist/main.js');
  const server = await startTestStack({ hasLocalHosts: false, environment: toEnvironment(), mainFile });
  servers.push(server);
  urls.push(server.url);
};

/** As an operator does it: out of the proxy's list, then SIGTERM, which waits for what is under way. */
const stopOld = async (server: TestStack): Promise<void> => {
  urls.splice(urls.indexOf(server.url), 1);
  server.server.kill('SIGTERM');
  expect(await server.server.ended).toEqual({ code: 0, signal: null });
};

it(
  'a rolling upgrade loses no task and refuses no request, with old and new servers on the new schema',
  async () => {
    const { token } = await client.register('Upgrader');
    const terminals = await Promise.all(
      [8200, 8201, 8202, 8203].map((login) => createTerminal(balancer.url, token, login)),
    );
    const load = startLoad(client, token, terminals, { workers: 4, everyMs: 400 });
    const goOn = async () => {
      const goal = load.accepted.length + TASKS_PER_STEP;
      await waitFor(() => load.accepted.length >= goal, { what: 'tasks in between', timeoutMs: 120_000 });
    };
    await goOn();
    const known = await query('select count(*)::int as count from migrations');
    await startNext();
    expect(await query('select count(*)::int as count from migrations')).toBe(known + 1);
    await goOn();
    await stopOld(servers[0]!);
    await goOn();
    await startNext();
    await stopOld(servers[1]!);
    await goOn();
    await load.finish();
    expect(load.refusals).toEqual([]);
    const accepted = 'select count(*)::int as count from tasks where id = any($1::uuid[])';
    const countEnds = () => query(`${accepted} and finished_at is not null`, [load.accepted]);
    await waitForAll(countEnds, load.accepted.length, { what: 'the ends of the accepted tasks' });
    expect(await query(`${accepted} and status = ${TaskStatus.COMPLETED}`, [load.accepted])).toBe(load.accepted.length);
    process.stdout.write(`${load.accepted.length} tasks, ${load.repeats} requests had to be repeated\n`);
  },
  TIMEOUT_MS,
);
