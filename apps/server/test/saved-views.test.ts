/** Filters and columns of lists, kept under names: whose they are, what they can be, and how many. */
import { MAX_VIEWS, type SavedView } from '@berth/contract';
import { useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';

const server = useTestServer();

const createOwner = async () => {
  const { token } = await server.register('Owner');
  const send = (method: string, name: string, body?: unknown) =>
    server.request(method, `/v1/my/views${name === '' ? '' : `/${encodeURIComponent(name)}`}`, { token, body });
  const list = async () => (await send('GET', '')).body.data as SavedView[];
  return { send, list };
};

it('a view is saved under its name, replaced as a whole, listed by name, and deleted once', async () => {
  const { send, list } = await createOwner();
  const first = { page: 'terminals', query: 'status=needs-attention&tag=prop%20%26%20co', columns: ['equity', 'ping'] };
  for (let time = 0; time < 2; time += 1) expect((await send('PUT', 'Prop, größer', first)).status).toBe(200);
  await send('PUT', 'all', { page: 'tasks' });
  expect(await list()).toMatchObject([
    { name: 'all', page: 'tasks', query: '', columns: null },
    { name: 'Prop, größer', ...first },
  ]);
  await send('PUT', 'Prop, größer', { page: 'tasks', query: 'status=failed' });
  expect((await list())[1]).toMatchObject({ page: 'tasks', query: 'status=failed', columns: null });
  expect((await send('DELETE', 'Prop, größer')).body).toMatchObject({ ok: true });
  expect((await send('DELETE', 'Prop, größer')).status).toBe(404);
  expect((await list()).map(({ name }) => name)).toEqual(['all']);
});

it("the same name is another user's own view, which nobody else replaces or deletes", async () => {
  const [one, other] = [await createOwner(), await createOwner()];
  await one.send('PUT', 'Mine', { page: 'terminals', query: 'tag=one' });
  expect((await other.send('DELETE', 'Mine')).status).toBe(404);
  await other.send('PUT', 'Mine', { page: 'terminals', query: 'tag=other' });
  expect(await one.list()).toMatchObject([{ query: 'tag=one' }]);
});

it.each([['a/b'], ['a\\b'], [' a'], ['a\nb'], ['a\u0000'], ['x'.repeat(61)]])(
  'a view cannot be named %j',
  async (name) => {
    const { send, list } = await createOwner();
    const { status, body } = await send('PUT', name, { page: 'terminals' });
    expect([status, body.errors]).toMatchObject([422, { view_name: [expect.any(String)] }]);
    expect((await send('DELETE', name)).status).toBe(404);
    expect(await list()).toEqual([]);
  },
);

it.each([
  ['page', { page: 'users' }],
  ['page', {}],
  ['query', { page: 'tasks', query: 'a b' }],
  ['query', { page: 'tasks', query: 'x'.repeat(4001) }],
  ['query', { page: 'tasks', query: { status: 'failed' } }],
  ['columns.0', { page: 'terminals', columns: ['<b>'] }],
  ['columns', { page: 'terminals', columns: Array.from({ length: 51 }, () => 'ping') }],
])('a view is refused for its %s: %j', async (field, body) => {
  const { send } = await createOwner();
  const answer = await send('PUT', 'View', body);
  expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([422, [field]]);
});

it('an account has at most fifty views, also when many are saved at once, and replaces those it has', async () => {
  const { send, list } = await createOwner();
  const save = async (index: number) =>
    (await send('PUT', `View ${index}`, { page: 'terminals' })).body as { ok: boolean; code?: string };
  const answers = await Promise.all(Array.from({ length: MAX_VIEWS + 5 }, (_, index) => save(index)));
  expect(answers.filter(({ ok }) => !ok)).toMatchObject(Array.from({ length: 5 }, () => ({ code: 'view_limit' })));
  const [view] = await list();
  expect((await send('PUT', view!.name, { page: 'tasks' })).body).toMatchObject({ ok: true, data: { page: 'tasks' } });
  expect(await list()).toHaveLength(MAX_VIEWS);
});
