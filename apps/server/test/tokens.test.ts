import { waitFor, toErrorBody, useTestServer } from '@berth/testing';
import { expect, test } from 'vitest';
import { sql } from '../src/db/database.ts';

const server = useTestServer();

const URL_OF_TOKENS = '/v1/my/account/tokens';
const create = (token: string, body: object) => server.request('POST', URL_OF_TOKENS, { token, body });
const list = (token: string, query = '') => server.request('GET', URL_OF_TOKENS + query, { token });
const revoke = (token: string, id: string | number) => server.request('DELETE', `${URL_OF_TOKENS}/${id}`, { token });
const createWith = async (token: string, body: object): Promise<string> =>
  (await create(token, { name: 'test', ...body })).body.data.token as string;
const idOf = (token: string): number => Number(token.split('|')[0]);

test('the creation answers the secret once; the record never has it', async () => {
  const { token, user } = await server.register('Creator');
  const answer = await create(token, { name: ' CI ' });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    ok: true,
    msg: expect.any(String),
    data: { token: expect.stringMatching(/^\d+\|[A-Za-z0-9]{40}[0-9a-f]{8}$/), name: 'CI' },
  });
  const secret = answer.body.data.token.split('|')[1] as string;
  const { bytes, body } = await list(token);
  expect(bytes.toString()).not.toContain(secret);
  expect(body.data[0]).toEqual({
    id: idOf(answer.body.data.token as string),
    tokenable_type: 'App\\Models\\User',
    tokenable_id: user.id,
    name: 'CI',
    abilities: ['*'],
    last_used_at: null,
    expires_at: null,
    created_at: expect.stringMatching(/\.\d{6}Z$/),
    updated_at: expect.stringMatching(/\.\d{6}Z$/),
  });
});

test('only a hash of the secret of a token is stored', async () => {
  const { token } = await server.register('Hashed');
  const secret = (await createWith(token, {})).split('|')[1]!;
  const rows = await server.services.db.query<{ row: string }>(sql('', 'select tokens::text as row from tokens'));
  expect(rows.some(({ row }) => row.includes(secret) || row.includes(Buffer.from(secret).toString('hex')))).toBe(false);
});

test('the creation of a token notifies the user', async () => {
  const { token } = await server.register('Watched');
  const created = await createWith(token, { name: 'deploy' });
  const { data } = (await server.request('GET', '/v1/my/account/notifications', { token })).body;
  expect(data).toMatchObject([
    { type: 'App\\Notifications\\TokenCreated', data: { id: String(idOf(created)), name: 'deploy' } },
  ]);
});

test('no rights at all are kept as given', async () => {
  const { token } = await server.register('Powerless');
  const none = await createWith(token, { abilities: [] });
  expect((await list(token)).body.data[0].abilities).toEqual([]);
  const answer = await server.request('GET', '/v1/my/account/profile', { token: none });
  expect([answer.status, answer.body.msg]).toEqual([403, 'Invalid ability provided.']);
  expect((await server.request('POST', '/v1/auth/logout', { token: none })).status).toBe(200);
});

test('a token gives no right that it lacks', async () => {
  const { token } = await server.register('Climber');
  const writer = await createWith(token, { abilities: ['read', 'write'] });
  expect((await create(writer, { name: 'same', abilities: ['read', 'write'] })).status).toBe(200);
  expect((await create(writer, { name: 'more', abilities: ['delete'] })).status).toBe(403);
  const everything = await create(writer, { name: 'all' });
  expect([everything.status, everything.headers.get('x-error-code')]).toEqual([403, 'missing_ability']);
});

test('null for an optional field means absent, but never all rights', async () => {
  const { token } = await server.register('Nullable');
  expect((await create(token, { name: 'n', expires_at: null })).status).toBe(200);
  expect((await create(token, { name: 'n', abilities: null })).status).toBe(422);
  expect((await list(token)).body.data[0]).toMatchObject({ abilities: ['*'], expires_at: null });
});

test('a token that ends makes none that outlives it; a session, which lives on, makes any', async () => {
  const { token, user } = await server.register('Heirs');
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const later = new Date(Date.now() + 7_200_000).toISOString();
  const mortal = await createWith(token, { expires_at: soon });
  for (const body of [{ name: 'n' }, { name: 'n', expires_at: null }, { name: 'n', expires_at: later }]) {
    const answer = await create(mortal, body);
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      { expires_at: ['The expires at field must not be later than the end of the token that asks.'] },
    ]);
  }
  expect((await create(mortal, { name: 'n', expires_at: soon })).body.ok).toBe(true);
  const { email, password } = user;
  const login = await server.request('POST', '/v1/auth/login', { body: { email, password, session: true } });
  const headers = {
    cookie: login.headers.getSetCookie()[0]!.split(';')[0]!,
    'x-berth-csrf': login.body.data.csrf_token as string,
  };
  const eternal = await server.request('POST', '/v1/my/account/tokens', { body: { name: 'n' }, headers });
  expect(eternal.body.ok).toBe(true);
  expect((await list(token)).body.data).toHaveLength(4);
});

test('its last use is noted', async () => {
  const { token } = await server.register('User');
  const used = await createWith(token, {});
  await list(used);
  const lastUse = async () =>
    (await list(token)).body.data.find(({ id }: { id: number }) => id === idOf(used)).last_used_at;
  expect(await waitFor(lastUse)).toMatch(/\.\d{6}Z$/);
});

test('a revoked token is refused at once, and is not found a second time', async () => {
  const { token } = await server.register('Revoker');
  const doomed = await createWith(token, {});
  const answer = await revoke(token, idOf(doomed));
  expect([answer.status, answer.body.ok, answer.body.data]).toEqual([200, true, null]);
  expect((await list(doomed)).status).toBe(401);
  const again = await revoke(token, idOf(doomed));
  expect([again.status, again.body]).toEqual([404, toErrorBody('not_found', 'Token not found.')]);
});

test('the list of tokens is by id descending, and the links to its pages keep the query', async () => {
  const { token } = await server.register('Lister');
  for (let count = 0; count < 11; count += 1) await create(token, { name: `t${count}` });
  const ids = (await list(token)).body.data.map(({ id }: { id: number }) => id);
  expect(ids).toEqual([...ids].sort((a: number, b: number) => b - a));
  const second = (await list(token, '?per_page=5&page=2&x=y')).body.pagination;
  expect(second.next_page_url).toBe(`${server.url}${URL_OF_TOKENS}?per_page=5&page=3&x=y`);
  expect(second.prev_page_url).toBe(`${server.url}${URL_OF_TOKENS}?per_page=5&page=1&x=y`);
});

test.each(['?page=0', '?page=x', '?page=1.5', '?per_page=0', '?per_page=101', '?page=1&page=2', '?page=99999999999'])(
  'the list of tokens: %s is refused',
  async (query) => {
    const { token } = await server.register('Pager');
    const answer = await list(token, query);
    expect([answer.status, typeof answer.body.errors]).toEqual([422, 'object']);
  },
);
