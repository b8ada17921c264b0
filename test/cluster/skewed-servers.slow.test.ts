/** Two servers on one PostgreSQL whose clocks are hours apart, in other time zones, and are set while they work. */
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { HostStatus, TaskStatus } from '@berth/contract';
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

const HOUR_MS = 3_600_000;
const TIMEOUT_MS = 600_000;
const TASKS = 24;
const clock = pathToFileURL(join(import.meta.dirname, '../faults/skewed-clock.mjs')).href;

const servers: TestStack[] = [];
const clockFiles: string[] = [];
let balancer: Balancer;
let client: TestClient;
let token: string;

beforeAll(async () => {
  const shared = { BERTH_SECRET_KEY: randomBytes(32).toString('hex'), BERTH_DEFAULT_PLATFORM: 'sandbox' };
  const name = randomBytes(8).toString('hex');
  const start = async (offsetMs: number, zone: string, environment: NodeJS.ProcessEnv) => {
    const file = join(tmpdir(), `berth-clock-${name}-${servers.length}`);
    writeFileSync(file, String(offsetMs));
    clockFiles.push(file);
    const skewed = { CLOCK_FILE: file, NODE_OPTIONS: `--import=${clock}`, TZ: zone };
    servers.push(await startTestStack({ hasLocalHosts: false, environment: { ...shared, ...environment, ...skewed } }));
  };
  await start(5 * HOUR_MS, 'Asia/Tokyo', {});
  await start(-7 * HOUR_MS, 'America/New_York', { BERTH_DATABASE_URL: servers[0]!.databaseUrl });
  balancer = await startBalancer(servers.map(({ url }) => url));
  client = createTestClient(balancer.url);
  await startHost(servers[0]!, balancer.url);
  ({ token } = await client.register('Anytime'));
}, TIMEOUT_MS);

afterAll(async () => {
  await balancer?.close();
  await endProcesses();
  for (const server of servers.reverse()) await server.close().catch(() => undefined);
  for (const file of clockFiles) rmSync(file, { force: true });
}, TIMEOUT_MS);

const query = (text: string, values: unknown[] = []) => servers[0]!.query(text, values);

it(
  'servers with wrong clocks lose no task, do none twice, and note the time of the database',
  { timeout: TIMEOUT_MS },
  async () => {
    const terminals = [
      await createTerminal(balancer.url, token, 7300),
      await createTerminal(balancer.url, token, 7301),
    ];
    // The schema of the tests may be older than their servers: the first tick takes that for a downtime.
    const [atStart] = await query('select time_lost::text from scheduler');
    const load = startLoad(client, token, terminals);
    for (const [first, second] of [
      [5, -7],
      [-3, 2],
      [0, 0],
      [30, -30],
    ] as const) {
      writeFileSync(clockFiles[0]!, String(first * HOUR_MS));
      writeFileSync(clockFiles[1]!, String(second * HOUR_MS));
      const { length } = load.accepted;
      await waitFor(() => load.accepted.length >= length + TASKS / 4, {
        what: 'tasks under the next clocks',
        timeoutMs: 120_000,
      });
      await delay(300);
    }
    await load.finish();
    const known = 'select 1 from tasks where id = any($1::uuid[])';
    const countEnds = async () => (await query(`${known} and finished_at is not null`, [load.accepted])).length;
    await waitForAll(countEnds, load.accepted.length, { what: 'the ends of the accepted tasks' });
    expect(await query(`${known} and status <> ${TaskStatus.COMPLETED}`, [load.accepted])).toEqual([]);
    expect(load.refusals).toEqual([]);
    const [end] = await query(
      `select max(attempts)::int as attempts,
       bool_and(created_at between now() - interval '5 minutes' and now() and finished_at between created_at and now()) as is_timely
     from tasks where id = any($1::uuid[])`,
      [load.accepted],
    );
    expect(end).toEqual({ attempts: 1, is_timely: true });
    expect(await query(`select name from hosts where status <> ${HostStatus.ONLINE}`)).toEqual([]);
    // A skew taken for a downtime would be one of hours; a machine that is short of time may have gaps of seconds.
    const mistaken = `select 1 from scheduler
    where time_lost not between $1::interval - interval '10 minutes' and $1::interval + interval '10 minutes'
      or set_back > interval '0'`;
    expect(await query(mistaken, [atStart!.time_lost])).toEqual([]);
  },
);
