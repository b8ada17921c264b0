/** Lists gone through by cursor (`after`): what the answers say, what is refused, and that pages stay as they are. */
import { randomUUID } from 'node:crypto';
import { TestHost, useTestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });
let token: string;
let userId: string;
let terminalId: string;
let hostId: string;

beforeAll(async () => {
  const operator = await server.registerOperator();
  token = operator.token;
  userId = operator.user.id;
  terminalId = await server.createTerminal(token, { server_name: 'Harbour-Demo', password: 'secret' });
  hostId = (await TestHost.enrol(server, { region: 3 })).id;
  await server.query(
    `insert into notifications (id, user_id, type, created_at)
     select gen_random_uuid(), $1, 'TaskFailed', now() - n % 3 * interval '1 minute' from generate_series(1, 7) as n`,
    [userId],
  );
});

const get = async (path: string, as = token) => {
  const { status, body } = await server.request('GET', path, { token: as });
  return { status, body: body as Record<string, any> };
};

const toIds = (items: { id: string }[]) => items.map(({ id }) => id);

const NOTIFICATIONS = '/v1/my/account/notifications';

const lists = () => [
  NOTIFICATIONS,
  '/v1/my/account/tokens',
  '/v1/my/projects',
  '/v1/my/files',
  '/v1/my/tasks',
  '/v1/my/trading/terminals',
  `/v1/my/trading/terminals/${terminalId}/tasks`,
  '/v1/operator/hosts',
  `/v1/operator/hosts/${hostId}/terminals`,
];

it('a cursor begins, goes on and ends, and says nothing of pages', async () => {
  const seen: string[] = [];
  for (let after: string | null = 'start', rounds = 0; after !== null; rounds += 1) {
    const { status, body } = await get(`${NOTIFICATIONS}?per_page=3&after=${after}`);
    expect([status, Object.keys(body.pagination).sort()]).toEqual([200, ['next_cursor', 'per_page']]);
    expect(body.data).toHaveLength([3, 3, 1][rounds]!);
    seen.push(...toIds(body.data));
    after = body.pagination.next_cursor as string | null;
  }
  const { body } = await get(`${NOTIFICATIONS}?per_page=100`);
  expect(seen).toEqual(toIds(body.data));
});

it('every list has a cursor, which leaves its pages as they were', async () => {
  for (const path of lists()) {
    const { body } = await get(`${path}?after=start&per_page=100`);
    expect([path, body.pagination]).toEqual([path, { per_page: 100, next_cursor: null }]);
    const paged = await get(`${path}?page=1&per_page=100`);
    expect(toIds(paged.body.data)).toEqual(toIds(body.data));
    expect(paged.body.pagination).toMatchObject({ current_page: 1, last_page: 1, total: body.data.length });
    expect(paged.body.pagination).not.toHaveProperty('next_cursor');
  }
});

const toCursor = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url');

it('a list refuses what is no cursor of it, its filters and its order, and a page beside one', async () => {
  const { body } = await get(`${NOTIFICATIONS}?per_page=2&after=start`);
  const cursor = body.pagination.next_cursor as string;
  const [origin] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as string[];
  const isRefused = async (path: string, field = 'after') => {
    const answer = await get(path);
    expect([path, answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([path, 422, [field]]);
  };
  await isRefused(`${NOTIFICATIONS}?after=start&page=1`, 'page');
  await isRefused(`${NOTIFICATIONS}?after=${cursor}&unread=true`);
  const terminals = '/v1/my/trading/terminals';
  const other = (await get(`${terminals}?per_page=1&after=start`)).body.pagination.next_cursor as string;
  expect((await get(`${terminals}?per_page=1&after=${other}&sort_by=created_at`)).status).toBe(200);
  await isRefused(`${terminals}?after=${other}&sort_by=name`);
  await isRefused(`${terminals}?after=${other}&sort_direction=asc`);
  await isRefused(`${terminals}?after=${cursor}`);
  for (const path of lists()) {
    for (const text of ['', '%20', 'x', '0', 'null', encodeURIComponent('{"a":1}'), 'a&after=b', toCursor([])])
      await isRefused(`${path}?after=${text}`);
  }
  const right = ['2026-01-31T08:15:30.123456Z', randomUUID()];
  for (const key of [
    [],
    [right[0]],
    ['2026-02-30T08:15:30.123456Z', right[1]],
    ['0000-01-01T00:00:00.000000Z', right[1]],
    ['infinity', right[1]],
    [right[0], '1'],
    [right[0], `${right[1]}'`],
    [...right, ''],
    [right[0], null],
  ])
    await isRefused(`${NOTIFICATIONS}?after=${toCursor([origin, ...key])}`);
  expect((await get(`${NOTIFICATIONS}?after=${toCursor([origin, ...right])}`)).status).toBe(200);
});

it('a cursor takes numbers as large as any, and texts that a name cannot be', async () => {
  for (const [path, key] of [
    ['/v1/my/tasks?per_page=1', ['9'.repeat(18)]],
    ['/v1/my/account/tokens?per_page=1', ['9'.repeat(18)]],
  ] as const) {
    const { body } = await get(`${path}&after=start`);
    const [origin] = JSON.parse(Buffer.from(String(body.pagination.next_cursor), 'base64url').toString()) as string[];
    expect((await get(`${path}&after=${toCursor([origin, ...key])}`)).status).toBe(200);
    expect((await get(`${path}&after=${toCursor([origin, '9'.repeat(19)])}`)).status).toBe(422);
  }
  const path = '/v1/my/trading/terminals?per_page=1&sort_by=name';
  const { body } = await get(`${path}&after=start`);
  const [origin] = JSON.parse(Buffer.from(String(body.pagination.next_cursor), 'base64url').toString()) as string[];
  const nul = await get(`${path}&after=${toCursor([origin, 'a\0', randomUUID()])}`);
  const odd = await get(`${path}&after=${toCursor([origin, '\u202e%\'"', randomUUID()])}`);
  expect([nul.status, odd.status]).toEqual([422, 200]);
});

it('a 404 goes before a 422, and a cursor of one user shows nothing of another', async () => {
  expect((await get(`/v1/operator/hosts/${randomUUID()}/terminals?after=x`)).status).toBe(404);
  expect((await get(`/v1/my/trading/terminals/${randomUUID()}/tasks?after=x`)).status).toBe(404);
  const { body } = await get(`${NOTIFICATIONS}?per_page=2&after=start`);
  const stranger = await server.register('Stranger');
  const answer = await get(`${NOTIFICATIONS}?per_page=2&after=${body.pagination.next_cursor}`, stranger.token);
  expect([answer.status, answer.body.data]).toEqual([200, []]);
});

it('tasks are read by their ids: own ones, with the other filters, and all of them on a page', async () => {
  await server.query(
    `insert into tasks (id, user_id, terminal_id, type, planned_at)
     select gen_random_uuid(), $1, $2, 14, now() + interval '1 day' from generate_series(1, 30)`,
    [userId, terminalId],
  );
  const stranger = await server.register('Other');
  const all = (await get('/v1/my/tasks?per_page=100')).body.data as { id: string; type: number }[];
  const ids = all.map(({ id }) => id);
  const named = await get(`/v1/my/tasks?ids=${ids.join(',%20').toUpperCase()},${randomUUID()}`);
  expect(named.body.data).toEqual(all);
  expect(named.body.pagination).toMatchObject({ total: 31, per_page: 100, last_page: 1 });
  expect((await get(`/v1/my/tasks?ids=${ids.join()}&type=0`)).body.data).toHaveLength(1);
  expect((await get(`/v1/my/tasks?ids=${ids.join()}&terminal_id=${terminalId}&per_page=2`)).body.data).toHaveLength(2);
  expect((await get(`/v1/my/tasks?ids=${ids.join()}&project_id=${randomUUID()}`)).body.data).toEqual([]);
  expect((await get(`/v1/my/tasks?ids=${ids.join()}`, stranger.token)).body.data).toEqual([]);
  for (const text of ['', 'x', `${ids[0]},`, `${ids[0]},x`, Array.from({ length: 101 }, randomUUID).join()]) {
    const { status, body } = await get(`/v1/my/tasks?ids=${text}`);
    expect([text, status, Object.keys(body.errors ?? {})]).toEqual([text, 422, ['ids']]);
  }
});
