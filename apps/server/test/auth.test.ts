import { startTestServer, TEST_PASSWORD, toErrorBody, useTestServer } from '@berth/testing';
import { expect, test } from 'vitest';

const server = useTestServer();

const register = (body: object) => server.request('POST', '/v1/auth/register', { body });
const login = (email: string, password: string) =>
  server.request('POST', '/v1/auth/login', { body: { email, password } });
const profile = (token: string) => server.request('GET', '/v1/my/account/profile', { token });

test('registration answers the user and a token that works at once', async () => {
  const answer = await register({ name: 'Ada Lovelace', email: 'ada@example.com', password: 'first secret' });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    ok: true,
    msg: expect.any(String),
    data: {
      user: { name: 'Ada Lovelace', email: 'ada@example.com' },
      token: expect.stringMatching(/^\d+\|[A-Za-z0-9]{40}[0-9a-f]{8}$/),
      token_type: 'Bearer',
    },
  });
  expect((await profile(answer.body.data.token)).body.data.email).toBe('ada@example.com');
});

test('an address is taken in whatever case it is written', async () => {
  await register({ name: 'First', email: 'taken@example.com', password: 'first secret' });
  const answer = await register({ name: 'Second', email: 'TAKEN@Example.com', password: 'first secret' });
  expect(answer.status).toBe(422);
  expect(answer.body).toEqual({
    message: 'The email has already been taken.',
    code: 'validation',
    hint: expect.any(String),
    errors: { email: ['The email has already been taken.'] },
  });
});

test('exactly one of simultaneous registrations of one address succeeds', async () => {
  const body = { name: 'Racer', email: 'race@example.com', password: 'first secret' };
  const statuses = (await Promise.all(Array.from({ length: 6 }, () => register(body)))).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 422, 422, 422, 422, 422]);
});

test('missing fields have one text each', async () => {
  const answer = await register({});
  expect(answer.status).toBe(422);
  expect(answer.body).toEqual({
    message: 'The name field is required. (and 2 more errors)',
    code: 'validation',
    hint: expect.any(String),
    errors: {
      name: ['The name field is required.'],
      email: ['The email field is required.'],
      password: ['The password field is required.'],
    },
  });
});

test('registration creates the default project', async () => {
  const { token } = await server.register('Projector');
  const { body } = await server.request('GET', '/v1/my/projects', { token });
  expect(body.data).toMatchObject([{ name: 'Default project', description: null }]);
  expect(body.data[0].id).toBe((await profile(token)).body.data.default_project_id);
});

test('registration is refused when it is closed', async () => {
  const closed = await startTestServer({ config: { isRegistrationOpen: false } });
  try {
    const body = { name: 'Late', email: 'late@example.com', password: 'first secret' };
    const answer = await closed.request('POST', '/v1/auth/register', { body });
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([403, 'registration_closed']);
    expect(answer.body).toEqual(toErrorBody('registration_closed'));
    const cookie = { headers: { cookie: 'berth-session=1|any' } };
    const returning = await server.request('GET', '/v1/auth/options', cookie);
    expect(returning.body.data.has_session).toBe(true);
    const [open, shut] = [server, closed].map((one) => one.request('GET', '/v1/auth/options'));
    const others = { sends_mails: false, has_session: false };
    expect((await open!).body.data).toEqual({ is_registration_open: true, ...others });
    expect((await shut!).body.data).toEqual({ is_registration_open: false, ...others });
  } finally {
    await closed.close();
  }
});

test('login gives a new token, and the address may be written in another case', async () => {
  const { user, token } = await server.register('Logger In');
  const answer = await login(user.email.toUpperCase(), user.password);
  expect(answer.status).toBe(200);
  expect(answer.body.data).toMatchObject({ user: { name: user.name, email: user.email }, token_type: 'Bearer' });
  expect(answer.body.data.token).not.toBe(token);
  expect((await profile(answer.body.data.token)).status).toBe(200);
});

test('a wrong password and an unknown address get the same answer', async () => {
  const { user } = await server.register('Forgetful');
  const wrong = await login(user.email, 'not the password');
  const unknown = await login('nobody@example.com', 'not the password');
  expect(wrong.status).toBe(422);
  expect(wrong.body).toEqual({
    message: 'These credentials do not match our records.',
    code: 'validation',
    hint: expect.any(String),
    errors: { email: ['These credentials do not match our records.'] },
  });
  expect([unknown.status, unknown.body]).toEqual([wrong.status, wrong.body]);
});

test('a password is not trimmed', async () => {
  await register({ name: 'Spacious', email: 'space@example.com', password: ' padded ' });
  expect((await login('space@example.com', 'padded')).status).toBe(422);
  expect((await login('space@example.com', ' padded ')).status).toBe(200);
});

test('logout revokes the calling token and no other', async () => {
  const { user, token } = await server.register('Leaver');
  const other = (await login(user.email, TEST_PASSWORD)).body.data.token as string;
  const answer = await server.request('POST', '/v1/auth/logout', { token });
  expect([answer.status, answer.body.ok, answer.body.data]).toEqual([200, true, null]);
  expect((await profile(token)).status).toBe(401);
  expect((await profile(other)).status).toBe(200);
});
