/** A release with one migration more takes over from the one before, server by server, while users and a host go on working. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TaskStatus } from '@berth/contract';
import { waitFor, waitForAll, type TestStack } from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTerminal, startLoad, useCluster } from './cluster.ts';

const TIMEOUT_MS = 600_000;
const TASKS_PER_STEP = 8;
const ROOT = join(import.meta.dirname, '../..');

/** What a release may do to a schema that the one before still uses: add, never take away. */
const MIGRATION = `alter table tasks add column note text;
create index tasks_by_note on tasks (note) where note is not null;
create table notes (task_id uuid primary key, text text not null);`;

const cluster = useCluster([{}, {}]);
const { servers, urls } = cluster;
let nextRelease: string;

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

beforeAll(() => {
  nextRelease = buildNextRelease();
});
afterAll(() => rmSync(nextRelease, { recursive: true, force: true }));

const query = async (text: string, values: unknown[] = []) =>
  (await cluster.query<{ count: number }>(text, values))[0]!.count;

const startNext = () => cluster.add({}, join(nextRelease, 'apps/server/dist/main.js'));

/** As an operator does it: out of the proxy's list, then SIGTERM, which waits for what is under way. */
const stopOld = async (server: TestStack): Promise<void> => {
  urls.splice(urls.indexOf(server.url), 1);
  server.server.kill('SIGTERM');
  expect(await server.server.ended).toEqual({ code: 0, signal: null });
};

it(
  'a rolling upgrade loses no task and refuses no request, with old and new servers on the new schema',
  async () => {
    const { token } = await cluster.client.register('Upgrader');
    const terminals = await Promise.all(
      [8200, 8201, 8202, 8203].map((login) => createTerminal(cluster.balancer.url, token, login)),
    );
    const load = startLoad(cluster.client, token, terminals, { workers: 4, everyMs: 400 });
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
