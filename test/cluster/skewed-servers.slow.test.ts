/** Two servers on one PostgreSQL whose clocks are hours apart, in other time zones, and are set while they work. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { HostStatus, TaskStatus } from '@berth/contract';
import { waitFor, waitForAll } from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTerminal, startLoad, useCluster } from './cluster.ts';

const HOUR_MS = 3_600_000;
const TIMEOUT_MS = 600_000;
const TASKS = 24;
const clock = pathToFileURL(join(import.meta.dirname, '../faults/skewed-clock.mjs')).href;

const clocks = mkdtempSync(join(tmpdir(), 'berth-clocks-'));
const clockFiles = ['first', 'second'].map((name) => join(clocks, name));
afterAll(() => rmSync(clocks, { recursive: true }));

const skew = (file: string, offsetMs: number, zone: string): NodeJS.ProcessEnv => {
  writeFileSync(file, String(offsetMs));
  return { CLOCK_FILE: file, NODE_OPTIONS: `--import=${clock}`, TZ: zone };
};

const cluster = useCluster([
  skew(clockFiles[0]!, 5 * HOUR_MS, 'Asia/Tokyo'),
  skew(clockFiles[1]!, -7 * HOUR_MS, 'America/New_York'),
]);
const { query } = cluster;
let token: string;
beforeAll(async () => {
  ({ token } = await cluster.client.register('Anytime'));
});

it(
  'servers with wrong clocks lose no task, do none twice, and note the time of the database',
  { timeout: TIMEOUT_MS },
  async () => {
    const terminals = [
      await createTerminal(cluster.balancer.url, token, 7300),
      await createTerminal(cluster.balancer.url, token, 7301),
    ];
    // The schema of the tests may be older than their servers: the first tick takes that for a downtime.
    const [atStart] = await query('select time_lost::text from scheduler');
    const load = startLoad(cluster.client, token, terminals);
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
