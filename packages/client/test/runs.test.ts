/** A run is followed to its end, whatever the network does, and its followers learn why it ended. */
import { farAhead, startTestServer, TestHost, type TestServer } from '@berth/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Berth, followRun, NotFoundError, RateLimitError, stepAdvice, type BulkRun, type Retry } from '../src/index.ts';
import { FaultyProxy } from './faulty-proxy.ts';

let server: TestServer;
let proxy: FaultyProxy;
let berth: Berth;
let host: TestHost;
let ids: string[];

beforeAll(async () => {
  server = await startTestServer({ config: { defaultPlatform: 'sandbox' } });
  proxy = await FaultyProxy.open(server.url);
  const { token, user } = await server.register('Ada Lovelace');
  berth = new Berth({ baseUrl: proxy.url, token });
  host = await TestHost.enrol(server, { capacity: 100 });
  const rows = await server.query(
    `insert into terminals (id, user_id, project_id, host_id, region_id, platform, name, server_name, login, status)
     select gen_random_uuid(), u.id, u.default_project_id, $2, 0, 'sandbox', 'T' || n, 'Demo', n, 3
     from users u cross join generate_series(1, 2) n where u.id = $1 returning id`,
    [user.id, host.id],
  );
  ids = rows.map(({ id }) => id as string);
});
afterEach(() => void proxy.seen.splice(0));
afterAll(async () => {
  await proxy?.close();
  await server?.close();
});

const busy = {
  status: 429,
  headers: { 'retry-after': '1', 'content-type': 'application/json', 'x-error-code': 'token_rate_limit' },
  body: JSON.stringify({ ok: false, msg: 'Too many attempts.', data: null }),
};

it('yields what has changed until it is over, past cut connections and too many requests', async () => {
  const { id } = await berth.bulkRuns.create('MARKET_WATCH_SHOW_ALL', { terminal_ids: ids });
  const tasks = [...(await host.claim(2, 2_000))];
  const seen: BulkRun[] = [];
  proxy.next('cut', busy);
  for await (const run of followRun(berth, id)) {
    seen.push(run);
    const task = tasks.shift();
    if (task) await host.complete(task, { symbols: 3 });
  }
  expect(seen[0]).toMatchObject({ total: 2, succeeded: 0, finished_at: null });
  expect(seen.at(-1)).toMatchObject({ succeeded: 2, in_progress: 0, finished_at: expect.any(String) });
  const states = seen.map((run) => JSON.stringify(run));
  expect(new Set(states).size).toBe(states.length);
  await berth.bulkRuns.dismiss(id);
  await expect(followRun(berth, id).next()).rejects.toThrow(NotFoundError);
});

it('following a run ends with the signal, and the run goes on', async () => {
  const order = { terminal_ids: ids, planned_at: farAhead };
  const { id } = await berth.bulkRuns.create('MARKET_WATCH_SHOW_ALL', order);
  const stop = new AbortController();
  for await (const { total } of followRun(berth, id, { signal: stop.signal })) {
    expect(total).toBe(2);
    stop.abort();
  }
  expect((await berth.bulkRuns.get(id)).finished_at).toBeNull();
  await berth.bulkRuns.cancel(id);
});

it('a run is begun once however often it is sent, and says each time why it is sent again', async () => {
  const retries: Retry[] = [];
  const before = (await berth.bulkRuns.list().toArray()).length;
  proxy.next(busy, 'lose answer');
  const order = { terminal_ids: ids, planned_at: farAhead };
  const run = await berth.bulkRuns.create('SCREENSHOT', order, { onRetry: (retry) => retries.push(retry) });
  expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(retries[0]!.error).toBeInstanceOf(RateLimitError);
  expect(retries[0]!.retryInMs).toBeGreaterThanOrEqual(1_000);
  expect(await berth.bulkRuns.list().toArray()).toHaveLength(before + 1);
  await berth.bulkRuns.cancel(run.id);
});

it('the client has an advice for each code of a failed step', () => {
  for (const advice of Object.values(stepAdvice)) expect(advice).toMatch(/^[A-Z].*\.$/);
});
