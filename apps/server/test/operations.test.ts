import { taskCatalogue, TaskStatus } from '@berth/contract';
import { createLogger } from '@berth/kit';
import { startTestServer, TEST_PASSWORD, TestHost, useTestServer, waitFor } from '@berth/testing';
import { expect, test } from 'vitest';
import { sql } from '../src/db/database.ts';

let log = '';
const logged = () =>
  log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const destination = { write: (line: string) => void (log += line) };
const server = useTestServer({ log: createLogger({ name: 'test', destination }) });

test('/healthz and /readyz answer JSON to anybody', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const { status, body } = await server.request('GET', path);
    expect([path, status, body.ok]).toEqual([path, 200, true]);
  }
});

test('a server without its schema is alive, but not ready', async () => {
  const { db } = server.services;
  await db.query(sql('hide', 'alter table migrations rename to hidden'));
  try {
    const { status, headers, body } = await server.request('GET', '/readyz');
    expect([status, headers.get('retry-after'), body.ok]).toEqual([503, '2', false]);
    expect((await server.request('GET', '/healthz')).status).toBe(200);
  } finally {
    await db.query(sql('unhide', 'alter table hidden rename to migrations'));
  }
  expect((await server.request('GET', '/readyz')).status).toBe(200);
});

const scrape = async (target = server, options = {}) => target.request('GET', '/metrics', options);

test('requests are counted by method, route pattern and status, in growing buckets', async () => {
  await server.request('GET', '/v1/my/files/0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10');
  const { status, headers, bytes } = await scrape();
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  const text = bytes.toString();
  const labels = 'method="GET",route="/v1/my/files/:file_id",status="401"';
  expect(text).toContain(`berth_http_request_duration_seconds_count{${labels}} 1\n`);
  expect(text).toContain(`berth_http_request_duration_seconds_bucket{${labels},le="+Inf"} 1\n`);
  const lines = text.matchAll(/_bucket\{method="GET",route="\/v1\/my\/files\/:file_id".*\} (\d+)/g);
  const buckets = [...lines].map(([, count]) => Number(count));
  expect(buckets).toHaveLength(15);
  expect(buckets).toEqual([...buckets].sort((a, b) => a - b));
  expect(text).not.toContain('0198c2a1');
});

test('ended tasks are counted by type and outcome', async () => {
  server.services.metrics.taskEnded(taskCatalogue[6].type, TaskStatus.COMPLETED, 1_500);
  const text = (await scrape()).bytes.toString();
  expect(text).toContain('berth_tasks_ended_total{type="SCREENSHOT",outcome="completed"} 1');
  expect(text).toContain('berth_task_duration_seconds_sum{type="SCREENSHOT",outcome="completed"} 1.5');
});

test('open tasks, hosts and terminals are counted by status, those without any as 0', async () => {
  const { db } = server.services;
  const insert = `insert into hosts (id, region_id, name, platforms, capacity, status)
    values (gen_random_uuid(), 0, 'h', '{sandbox}', 1, 1)`;
  await db.query(sql('host', insert));
  await waitFor(async () => (await scrape()).bytes.toString().includes('berth_hosts{status="online"} 1'));
  const text = (await scrape()).bytes.toString();
  expect(text).toContain('berth_hosts{status="lost"} 0');
  expect(text).toContain('berth_tasks_open{status="queued"} 0');
  expect(text).toContain('berth_terminals{status="active"} 0');
});

test('hosts say how much room they have, regions how many terminals wait, and webhooks whether they fail', async () => {
  const own = await startTestServer();
  try {
    const host = await TestHost.enrol(own, { name: 'roomy', capacity: 7 });
    await host.startSession({
      ...{ memory_total_mb: 4_096, memory_available_mb: 1_024, memory_capacity: 5, offers: [] },
      ...{ disk_total_mb: 10_240, disk_available_mb: 2_048, load_percent: 150 },
    });
    const { token } = await own.register('Waiting');
    await own.createTerminal(token, { region: 3 });
    const webhook = { url: 'https://example.com/hook', events: ['task.finished'] };
    for (const _ of [1, 2]) await own.request('POST', '/v1/my/webhooks', { token, body: webhook });
    await own.query(`update webhooks set failing_since = now() where id = (select min(id::text)::uuid from webhooks)`);
    const text = (await scrape(own)).bytes.toString();
    for (const line of [
      'berth_host_places{host="roomy"} 5',
      'berth_host_terminals{host="roomy"} 0',
      'berth_host_memory_available_bytes{host="roomy"} 1073741824',
      'berth_host_disk_bytes{host="roomy"} 10737418240',
      'berth_host_disk_available_bytes{host="roomy"} 2147483648',
      'berth_host_load_ratio{host="roomy"} 1.5',
      'berth_terminals_waiting{region="Frankfurt"} 1',
      'berth_terminals_waiting{region="London"} 0',
      'berth_webhooks{state="failing"} 1',
      'berth_webhooks{state="working"} 1',
      'berth_webhooks{state="disabled"} 0',
    ])
      expect(text).toContain(line);
  } finally {
    await own.close();
  }
});

test('behind a proxy only an operator with the ability "read" sees them', async () => {
  const forwarded = { headers: { 'x-forwarded-for': '203.0.113.7' } };
  expect((await scrape(server, forwarded)).status).toBe(401);
  const { token, user } = await server.register('Scraper');
  expect((await scrape(server, { token })).status).toBe(403);
  await server.services.db.query(sql('promote', 'update users set is_operator = true where id = $1'), [user.id]);
  expect((await scrape(server, { token })).status).toBe(200);
  const body = { name: 'w', abilities: ['write'] };
  const writer = await server.request('POST', '/v1/my/account/tokens', { token, body });
  expect((await scrape(server, { token: writer.body.data.token })).status).toBe(403);
  const proxied = await startTestServer({ config: { publicUrl: 'https://berth.example.com' } });
  try {
    expect((await scrape(proxied)).status).toBe(401);
  } finally {
    await proxied.close();
  }
});

test('the log of requests has one line a request, with its id and its user', async () => {
  const { token, user } = await server.register('Logged');
  const answer = await server.request('GET', '/v1/my/projects?search=private', { token });
  const id = answer.headers.get('x-request-id');
  const lines = await waitFor(() => {
    const found = logged().filter((line) => line.reqId === id);
    return found.length > 0 ? found : undefined;
  });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    level: 30,
    method: 'GET',
    route: '/v1/my/projects',
    status: 200,
    ms: expect.any(Number),
    userId: user.id,
    msg: 'request',
  });
});

test('the log of requests holds no password, no token, no code and no query', async () => {
  const { token, user } = await server.register('Secretive');
  await server.request('GET', '/v1/my/projects?search=needle-in-query', { token });
  await server.request('GET', `/unknown/${token.split('|')[1]}`);
  await server.request('POST', '/v1/auth/login', { body: { email: user.email, password: 'needle-password' } });
  await server.request('POST', '/v1/auth/forgot-password', { body: { email: user.email } });
  await server.request('POST', '/v1/auth/login', { body: '{"password": "needle-broken", ' });
  await waitFor(() => log.includes('a mail was written to a file'));
  expect(log).not.toMatch(/needle|[A-Z2-9]{5}-[A-Z2-9]{5}/);
  expect(log).not.toContain(TEST_PASSWORD);
  expect(log).not.toContain(token.split('|')[1]);
});
