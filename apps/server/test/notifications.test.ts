import { randomUUID } from 'node:crypto';
import { notificationTypes } from '@berth/contract';
import { useTestServer } from '@berth/testing';
import { expect, test } from 'vitest';
import { insertNotifications } from '../src/notifications/queries.ts';

const server = useTestServer();

const URL_OF_LIST = '/v1/my/account/notifications';
const list = (token: string, query = '') => server.request('GET', URL_OF_LIST + query, { token });
const read = (token: string, id: string) => server.request('POST', `${URL_OF_LIST}/${id}/read`, { token });
const readAll = (token: string) => server.request('POST', `${URL_OF_LIST}/read-all`, { token });

/** A user with a number of unread notifications, named "terminal 1" and up. */
const createReader = async (count: number) => {
  const { token, user } = await server.register('Reader');
  for (let index = 1; index <= count; index += 1) {
    const row = { userId: user.id, type: 'TerminalReady', id: randomUUID(), name: `terminal ${index}` } as const;
    await insertNotifications(server.services.db, [row]);
  }
  return { token, user };
};
const namesOf = (data: { data: { name: string } }[]) => data.map((item) => item.data.name);

test('notifications are listed newest first, over all pages', async () => {
  const { token } = await createReader(17);
  const { body } = await list(token);
  expect(Object.keys(body)).toEqual(['ok', 'msg', 'data', 'pagination']);
  expect(namesOf(body.data)).toEqual(Array.from({ length: 15 }, (_, index) => `terminal ${17 - index}`));
  expect(namesOf((await list(token, '?page=2')).body.data)).toEqual(['terminal 2', 'terminal 1']);
});

test('a notification has every field of the API', async () => {
  const { token, user } = await createReader(1);
  expect((await list(token)).body.data).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'App\\Notifications\\TerminalReady',
      notifiable_id: user.id,
      notifiable_model: 'App\\Models\\User',
      data: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), name: 'terminal 1' },
      read_at: null,
      created_at: expect.stringMatching(/\.\d{6}Z$/),
      updated_at: expect.stringMatching(/\.\d{6}Z$/),
    },
  ]);
});

test('every type is written as a class name', async () => {
  const { token, user } = await server.register('Typed');
  const rows = notificationTypes.map((type) => ({ userId: user.id, type, id: randomUUID(), name: 'y' }));
  await insertNotifications(server.services.db, rows);
  const types = (await list(token)).body.data.map(({ type }: { type: string }) => type);
  expect(types.sort()).toEqual(notificationTypes.map((type) => `App\\Notifications\\${type}`).sort());
});

test('an empty list has one page and no neighbours', async () => {
  const { token } = await server.register('Nobody');
  const { body } = await list(token);
  expect(body.data).toEqual([]);
  expect(body.pagination).toMatchObject({
    total: 0,
    last_page: 1,
    from: null,
    next_page_url: null,
    prev_page_url: null,
  });
});

test('marking one read answers it read; doing it again keeps the first time', async () => {
  const { token } = await createReader(2);
  const { id } = (await list(token)).body.data[0];
  const first = await read(token, id);
  expect([first.status, Object.keys(first.body)]).toEqual([200, ['ok', 'message', 'data']]);
  expect(first.body.data).toMatchObject({ id, read_at: expect.stringMatching(/\.\d{6}Z$/) });
  const second = await read(token, id);
  expect(second.body.data).toEqual(first.body.data);
});

test.each([
  ['true', 1],
  ['1', 1],
  ['false', 2],
  ['0', 2],
])('unread=%s lists %i of one read and one unread', async (value, count) => {
  const { token } = await createReader(2);
  await read(token, (await list(token)).body.data[0].id);
  const { body } = await list(token, `?unread=${value}`);
  expect([body.data.length, body.pagination.total]).toEqual([count, count]);
});

test('unread=maybe is refused', async () => {
  const { token } = await server.register('Unsure');
  expect((await list(token, '?unread=maybe')).body.errors).toEqual({
    unread: ['The unread field must be true or false.'],
  });
});

test('read-all answers those that it changed, newest first, and nothing the second time', async () => {
  const { token } = await createReader(4);
  const seen = (await list(token)).body.data[1];
  const earlier = (await read(token, seen.id)).body.data.read_at;
  const answer = await readAll(token);
  expect([answer.status, Object.keys(answer.body)]).toEqual([200, ['ok', 'message', 'data']]);
  expect(namesOf(answer.body.data)).toEqual(['terminal 4', 'terminal 2', 'terminal 1']);
  expect(answer.body.data.every(({ read_at }: { read_at: string | null }) => read_at !== null)).toBe(true);
  expect((await list(token, '?unread=1')).body.pagination.total).toBe(0);
  expect((await list(token)).body.data[1].read_at).toBe(earlier);
  expect((await readAll(token)).body.data).toEqual([]);
});

test("another user's notification stays unread, whether it is named or all are marked", async () => {
  const owner = await createReader(1);
  const stranger = await server.register('Stranger');
  const { id } = (await list(owner.token)).body.data[0];
  await read(stranger.token, id);
  await readAll(stranger.token);
  expect((await list(owner.token)).body.data[0].read_at).toBeNull();
});

const SETTINGS = '/v1/my/account/notification-settings';
const allOn = Object.fromEntries(notificationTypes.map((type) => [type, true]));
const settingsOf = async (token: string) => (await server.request('GET', SETTINGS, { token })).body.data;
const change = (token: string, kinds: Record<string, unknown>) =>
  server.request('PATCH', SETTINGS, { token, body: { kinds } });

test('a kind that its owner turned off is not written, for this owner alone, until it is turned on again', async () => {
  const [reader, other] = [await server.register('Quiet'), await server.register('Curious')];
  const tell = async () => {
    const rows = [reader, other].flatMap(({ user }) =>
      (['TerminalReady', 'TaskFailed'] as const).map((type) => ({
        userId: user.id,
        type,
        id: randomUUID(),
        name: 'x',
      })),
    );
    await insertNotifications(server.services.db, rows);
  };
  const kindsOf = async ({ token }: { token: string }): Promise<string[]> =>
    (await list(token)).body.data.map(({ type }: { type: string }) => type.replace(/.*\\/, '')).sort();
  const { status, body } = await change(reader.token, { TerminalReady: false });
  expect(status).toBe(200);
  expect(body.data).toEqual({ kinds: { ...allOn, TerminalReady: false } });
  await tell();
  expect(await kindsOf(reader)).toEqual(['TaskFailed']);
  expect(await kindsOf(other)).toEqual(['TaskFailed', 'TerminalReady']);
  expect(await settingsOf(other.token)).toEqual({ kinds: allOn });
  await change(reader.token, { TerminalReady: true });
  await tell();
  expect(await kindsOf(reader)).toEqual(['TaskFailed', 'TaskFailed', 'TerminalReady']);
});

test('a kind that was turned off increments no count of an earlier notification', async () => {
  const { token, user } = await server.register('Counted no more');
  const row = { userId: user.id, type: 'HostLost', id: randomUUID(), name: 'quay' } as const;
  await insertNotifications(server.services.db, [row]);
  await change(token, { HostLost: false });
  await insertNotifications(server.services.db, [row]);
  expect((await list(token)).body.data).toMatchObject([{ data: { name: 'quay' } }]);
  expect((await list(token)).body.data[0].data).not.toHaveProperty('count');
});

test('security notices cannot be turned off, and a refused change changes nothing', async () => {
  const { token } = await server.register('Careful');
  const kinds = { HostLost: false, TokenCreated: false, PasswordChanged: false };
  const { status, body } = await change(token, kinds);
  expect(status).toBe(422);
  expect(body.errors).toEqual({
    'kinds.TokenCreated': ['Security notices cannot be turned off.'],
    'kinds.PasswordChanged': ['Security notices cannot be turned off.'],
  });
  expect(await settingsOf(token)).toEqual({ kinds: allOn });
  expect((await change(token, { TokenCreated: true })).status).toBe(200);
});

test('an unknown kind of notification is refused by its name, and so is a value other than true or false', async () => {
  const { token } = await server.register('Mistaken');
  expect(Object.keys((await change(token, { TerminalRaedy: false })).body.errors)).toEqual(['kinds.TerminalRaedy']);
  expect(Object.keys((await change(token, { TerminalReady: null })).body.errors)).toEqual(['kinds.TerminalReady']);
});

test('changes of different kinds at the same time are all kept', async () => {
  const { token } = await server.register('Hasty');
  const kinds = ['TerminalReady', 'TerminalFailed', 'TaskFailed', 'HostLost'];
  await Promise.all(kinds.map((kind) => change(token, { [kind]: false })));
  const off = Object.fromEntries(kinds.map((kind) => [kind, false]));
  expect(await settingsOf(token)).toEqual({ kinds: { ...allOn, ...off } });
});
