/** Two servers on one PostgreSQL, with limits: a client that spreads requests over both gets no more of them. */
import { randomBytes } from 'node:crypto';
import { endProcesses, startTestStack, waitFor, type TestStack } from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const TIMEOUT_MS = 600_000;

const servers: TestStack[] = [];

beforeAll(async () => {
  const shared = { BERTH_SECRET_KEY: randomBytes(32).toString('hex'), BERTH_RATE_LIMIT: 'on' };
  servers.push(await startTestStack({ hasLocalHosts: false, environment: shared }));
  const environment = { ...shared, BERTH_DATABASE_URL: servers[0]!.databaseUrl };
  servers.push(await startTestStack({ hasLocalHosts: false, environment }));
}, TIMEOUT_MS);

afterAll(async () => {
  await endProcesses();
  for (const server of servers.reverse()) await server.close().catch(() => undefined);
}, TIMEOUT_MS);

describe('limits of two servers', { timeout: TIMEOUT_MS }, () => {
  it('limits of two servers of logins are counted together, use by use', async () => {
    const login = (number: number) =>
      servers[number % 2]!.request('POST', '/v1/auth/login', {
        body: { email: 'both@example.com', password: 'a guess' },
      });
    const statuses: number[] = [];
    for (let number = 0; number < 8; number += 1) statuses.push((await login(number)).status);
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429, 429, 429]);
  });

  it('limits of two servers of requests are counted together within a moment', async () => {
    const { token } = await servers[0]!.register('Spread');
    const use = (server: TestStack) => server.request('GET', '/v1/my/account/profile', { token });
    const leftAt = async (server: TestStack) => Number((await use(server)).headers.get('x-ratelimit-remaining'));
    const [first, second] = servers as [TestStack, TestStack];
    for (let used = 0; used < 140; used += 1) {
      expect((await use(first)).status).toBe(200);
      expect((await use(second)).status).toBe(200);
    }
    // Less than 300 are used; each server counted half of them itself.
    for (const server of servers) await waitFor(async () => (await leftAt(server)) < 20, { what: 'the other’s count' });
    let more = 0;
    while ((await use(servers[more % 2]!)).status === 200) more += 1;
    // What each of them had left, at most: the other hears of it in a moment. Uncounted, it would be 140 at each.
    expect(more).toBeLessThan(2 * 20);
    for (const server of servers)
      await waitFor(async () => (await use(server)).status === 429, { what: 'both at the limit' });
  });
});
