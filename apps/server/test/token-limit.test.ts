import { MAX_TOKENS } from '@berth/contract';
import { TEST_PASSWORD, useTestServer } from '@berth/testing';
import { expect, test } from 'vitest';

const server = useTestServer();

const create = (token: string, name = 'api') =>
  server.request('POST', '/v1/my/account/tokens', { token, body: { name } });
const login = (email: string) => server.request('POST', '/v1/auth/login', { body: { email, password: TEST_PASSWORD } });
const isAlive = async (token: string) =>
  (await server.request('GET', '/v1/my/account/profile', { token })).status === 200;

const count = async (userId: string) =>
  (await server.query('select count(*)::int as total from tokens where user_id = $1', [userId]))[0]!.total as number;
const insertMade = (userId: string, number: number) =>
  server.query(
    `insert into tokens (user_id, name, abilities, secret_hash) select $1, 'Login', '{read}', 'x' from generate_series(1, $2)`,
    [userId, number],
  );

test('an account has at most 100 tokens, however many are asked for at once', async () => {
  const { token, user } = await server.register('Collector');
  await insertMade(user.id, MAX_TOKENS - 11);
  const answers = await Promise.all(Array.from({ length: 30 }, () => create(token)));
  expect(answers.filter(({ body }) => body.ok)).toHaveLength(10);
  for (const { status, headers, body } of answers.filter((answer) => !answer.body.ok)) {
    expect([status, headers.get('x-error-code'), body]).toEqual([
      200,
      'token_limit',
      { ok: false, msg: 'An account has at most 100 tokens. Delete one that you no longer need.', code: 'token_limit' },
    ]);
  }
  expect(await count(user.id)).toBe(MAX_TOKENS);
});

test('one that expired makes room', async () => {
  const { token, user } = await server.register('Renewer');
  await insertMade(user.id, MAX_TOKENS - 1);
  expect((await create(token)).body.ok).toBe(false);
  await server.query(
    `update tokens set expires_at = now() where id = (select max(id) from tokens where user_id = $1)`,
    [user.id],
  );
  expect((await create(token)).body.ok).toBe(true);
  expect(await count(user.id)).toBe(MAX_TOKENS);
});

test('a login always succeeds: it takes the place of the login that was not used for longest, never of an API token', async () => {
  const { token: first, user } = await server.register('Visitor');
  const second = (await login(user.email)).body.data.token as string;
  const made = (await create(first, 'Login')).body.data.token as string;
  await insertMade(user.id, MAX_TOKENS - 3);
  // The first login was used after the second one was.
  await server.query(`update tokens set last_used_at = now() + interval '1 hour' where id = $1`, [
    Number(first.split('|')[0]),
  ]);
  const third = (await login(user.email)).body.data.token as string;
  expect(await Promise.all([first, second, made, third].map(isAlive))).toEqual([true, false, true, true]);
  expect(await count(user.id)).toBe(MAX_TOKENS);
  const tokens = await Promise.all(Array.from({ length: 6 }, () => login(user.email)));
  expect(tokens.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  expect([await isAlive(made), await count(user.id)]).toEqual([true, MAX_TOKENS]);
});

test("the last place is a login's: API tokens alone cannot lock their owner out", async () => {
  const { token, user } = await server.register('Locked');
  await insertMade(user.id, MAX_TOKENS - 2);
  const made = (await create(token)).body.data.token as string;
  await server.request('POST', '/v1/auth/logout', { token });
  expect((await create(made)).headers.get('x-error-code')).toBe('token_limit');
  expect((await login(user.email)).status).toBe(200);
  expect(await count(user.id)).toBe(MAX_TOKENS);
});
