/** What hosts had in use: by the minute, then by the quarter of an hour, in a bounded number of rows. */
import type { HostFacts, HostSamples } from '@berth/contract';
import { TestHost, useTestServer } from '@berth/testing';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { ageHostMinutesText, takeHostSamples } from '../src/samples/hosts.ts';

const server = useTestServer({ without: ['samples of hosts'] });
let operator: string;
beforeAll(async () => {
  operator = (await server.registerOperator()).token;
});
beforeEach(() => server.query('truncate hosts cascade'));

const toFacts = (changes: Partial<HostFacts> = {}): HostFacts => ({
  ...{ memory_total_mb: 8_000, memory_available_mb: 6_000, memory_capacity: 9, load_percent: 30, offers: [] },
  ...{ disk_total_mb: 1_000, disk_available_mb: 900 },
  ...changes,
});
const enrol = async (facts?: HostFacts): Promise<TestHost> => {
  const host = await TestHost.enrol(server);
  await host.startSession(facts);
  return host;
};
const take = () => takeHostSamples(server.services.db.slow);
/** Time passes for what was taken. */
const wait = async (minutes: number) => {
  for (const [table, column] of [
    ['host_minutes', 'hour_at'],
    ['host_quarters', 'day_at'],
  ] as const)
    await server.query(`update ${table} set ${column} = ${column} - $1 * interval '1 minute'`, [minutes]);
};
const read = async ({ id }: TestHost, query = '') => {
  const answer = await server.request('GET', `/v1/operator/hosts/${id}/samples${query}`, { token: operator });
  return answer.body.data as HostSamples;
};
const count = async (table: string) => (await server.query(`select 1 from ${table}`)).length;

it('a minute has one sample, the first, of each host that is online and says what it has', async () => {
  const host = await enrol(toFacts());
  const silent = await enrol();
  const lost = await enrol(toFacts());
  await server.query('update hosts set status = 2 where id = $1', [lost.id]);
  await take();
  await host.call('heartbeat', { tasks: [], facts: toFacts({ memory_available_mb: 1 }) });
  await Promise.all([take(), take()]);
  await wait(60);
  const { step, columns, rows } = await read(host);
  expect([step, columns]).toEqual([1, ['at', 'load_percent', 'memory_mb', 'disk_mb']]);
  expect(rows.map(([, ...values]) => values)).toContainEqual([30, 2_000, 100]);
  expect(rows.length).toBeLessThanOrEqual(2);
  expect([(await read(silent)).rows, (await read(lost)).rows]).toEqual([[], []]);
});

it('a host that says that more is free than it has, or nothing of its disk, spoils no figure', async () => {
  const host = await enrol({ ...toFacts({ memory_available_mb: 60_000 }), disk_total_mb: undefined } as never);
  await take();
  await wait(60);
  expect((await read(host)).rows[0]?.slice(1)).toEqual([30, 0, null]);
});

it('minutes older than a day become quarters of an hour, each once, and a host has few rows', async () => {
  const host = await enrol(toFacts());
  for (let round = 0; round < 3; round += 1) {
    await take();
    await wait(60);
  }
  const before = (await read(host, '?step=15')).rows;
  expect(before).toHaveLength(3);
  await wait(26 * 60);
  const age = () => server.query(ageHostMinutesText, [100]);
  await Promise.all([age(), age()]);
  await age();
  expect(await count('host_minutes')).toBe(0);
  expect(await count('host_quarters')).toBeLessThanOrEqual(2);
  const after = (await read(host, '?step=15')).rows;
  expect(after.map(([, ...values]) => values)).toEqual(before.map(([, ...values]) => values));
});

it('samples of a host are refused for a time that ends before it begins', async () => {
  const host = await enrol(toFacts());
  const path = `/v1/operator/hosts/${host.id}/samples`;
  const turned = '?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z';
  expect((await server.request('GET', path + turned, { token: operator })).body.errors).toHaveProperty('to');
});
