import { AccountStatus } from '@berth/contract';
import { useTestServer, type TestUser } from '@berth/testing';
import { expect, test } from 'vitest';
import { toWelcomeDays } from '../src/accounts/users.ts';
import { sql } from '../src/db/database.ts';

const server = useTestServer();

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const getProfile = (token: string) => server.request('GET', '/v1/my/account/profile', { token });
const patchProfile = (token: string, body: object) =>
  server.request('PATCH', '/v1/my/account/profile', { token, body });
const createProject = async (token: string, name: string): Promise<string> =>
  (await server.request('POST', '/v1/my/projects', { token, body: { name } })).body.data.id as string;

test('the profile has every field of the API, and nothing else', async () => {
  const { token, user } = await server.register('Grace Hopper');
  const answer = await getProfile(token);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    ok: true,
    msg: expect.any(String),
    data: {
      id: user.id,
      name: 'Grace Hopper',
      email: user.email,
      email_verified_at: null,
      plan: 0,
      status: AccountStatus.ACTIVE,
      balance: 0,
      default_project_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      plan_expires_at: null,
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
      deleted_at: null,
      referrer_id: null,
    },
  });
});

test('the balance is a number with its cents', async () => {
  const { token, user } = await server.register('Rich');
  await server.services.db.query(sql('pay', 'update users set balance = 1234.56 where id = $1'), [user.id]);
  expect((await getProfile(token)).body.data.balance).toBe(1234.56);
});

test('name and default project change, alone or together', async () => {
  const { token } = await server.register('Changer');
  const project = await createProject(token, 'Second');
  const answer = await patchProfile(token, { name: '  New Name  ' });
  expect([answer.status, answer.body.ok, answer.body.data]).toEqual([200, true, null]);
  expect((await getProfile(token)).body.data.name).toBe('New Name');
  await patchProfile(token, { default_project_id: project });
  expect((await getProfile(token)).body.data).toMatchObject({ name: 'New Name', default_project_id: project });
  expect((await patchProfile(token, {})).status).toBe(200);
  expect((await server.request('PATCH', '/v1/my/account/profile', { token })).status).toBe(200);
});

test.each([
  [{ name: 'ab' }, { name: ['The name field must be at least 3 characters.'] }],
  [{ name: 'x'.repeat(256) }, { name: ['The name field must not be greater than 255 characters.'] }],
  [{ name: 7 }, { name: ['The name field must be a string.'] }],
  [{ name: null }, { name: ['The name field must be a string.'] }],
  [{ default_project_id: 'nonsense' }, { default_project_id: ['The selected default project id is invalid.'] }],
  [{ default_project_id: null }, { default_project_id: ['The default project id field must be a string.'] }],
])('a profile with %j is refused and changes nothing', async (body, errors) => {
  const { token } = await server.register('Stable');
  const before = (await getProfile(token)).body.data;
  const answer = await patchProfile(token, body);
  expect([answer.status, answer.body]).toEqual([
    422,
    { message: Object.values(errors)[0]![0], errors, code: 'validation', hint: expect.any(String) },
  ]);
  expect((await getProfile(token)).body.data).toEqual(before);
});

test("another user's project is refused like an unknown one, and the name stays too", async () => {
  const other = await createProject((await server.register('Owner')).token, 'Theirs');
  const { token } = await server.register('Thief');
  const answer = await patchProfile(token, { name: 'Stolen', default_project_id: other });
  expect([answer.status, answer.body.message]).toEqual([422, 'The selected default project id is invalid.']);
  expect((await getProfile(token)).body.data.name).toBe('Thief');
});

test('255 characters count as characters, not as bytes', async () => {
  const { token } = await server.register('Counter');
  expect((await patchProfile(token, { name: '😀'.repeat(255) })).status).toBe(200);
  expect((await getProfile(token)).body.data.name).toBe('😀'.repeat(255));
});

test('a new account has all welcome days, a claimed offer none', async () => {
  const { token, user } = await server.register('Welcome');
  const getOffers = () => server.request('GET', '/v1/my/account/offers', { token });
  expect((await getOffers()).body).toEqual({ ok: true, msg: expect.any(String), data: { welcome_days: 7 } });
  await server.services.db.query(sql('claim', 'update users set welcome_claimed_at = now() where id = $1'), [user.id]);
  expect((await getOffers()).body.data.welcome_days).toBe(0);
});

test('welcome days count down to 0 and stay there', () => {
  const user = { created_at: '2026-01-01T00:00:00.000000Z', welcome_claimed_at: null };
  const at = (text: string) => toWelcomeDays(user, 7, Date.parse(text));
  expect(at('2026-01-01T00:00:00Z')).toBe(7);
  expect(at('2026-01-01T23:59:59Z')).toBe(7);
  expect(at('2026-01-07T12:00:00Z')).toBe(1);
  expect(at('2026-01-08T00:00:00Z')).toBe(0);
  expect(at('2027-01-01T00:00:00Z')).toBe(0);
});

const change = (token: string, body: object) =>
  server.request('POST', '/v1/my/account/security/change-password', { token, body });
const toBody = ({ password }: TestUser, next: string) => ({
  current_password: password,
  new_password: next,
  new_password_confirmation: next,
});
const login = (email: string, password: string) =>
  server.request('POST', '/v1/auth/login', { body: { email, password } });

test('a change of the password revokes every token of the user, of nobody else, and notifies the user', async () => {
  const { token, user } = await server.register('Rotator');
  const bystander = await server.register('Bystander');
  const second = (await login(user.email, user.password)).body.data.token as string;
  const answer = await change(token, toBody(user, 'next password'));
  expect([answer.status, answer.body.ok, answer.body.data]).toEqual([200, true, null]);
  expect((await getProfile(token)).status).toBe(401);
  expect((await getProfile(second)).status).toBe(401);
  expect((await getProfile(bystander.token)).status).toBe(200);
  expect((await login(user.email, user.password)).status).toBe(422);
  const fresh = (await login(user.email, 'next password')).body.data.token as string;
  const notifications = await server.request('GET', '/v1/my/account/notifications', { token: fresh });
  expect(notifications.body.data.map(({ type }: { type: string }) => type)).toEqual([
    'App\\Notifications\\PasswordChanged',
  ]);
});

test('a wrong current password is refused and revokes nothing', async () => {
  const { token, user } = await server.register('Mistaken');
  const answer = await change(token, { ...toBody(user, 'next password'), current_password: 'wrong password' });
  expect([answer.status, answer.body]).toEqual([
    422,
    {
      message: 'The current password is incorrect.',
      code: 'validation',
      hint: expect.any(String),
      errors: { current_password: ['The current password is incorrect.'] },
    },
  ]);
  expect((await getProfile(token)).status).toBe(200);
  expect((await login(user.email, user.password)).status).toBe(200);
});

test('one of simultaneous changes of the password wins, and no token survives', async () => {
  const { token, user } = await server.register('Hasty');
  const names = ['first password', 'second password', 'third password'];
  const answers = await Promise.all(names.map((next) => change(token, toBody(user, next))));
  const won = answers.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  expect((await getProfile(token)).status).toBe(401);
  const logins = await Promise.all(names.map((next) => login(user.email, next)));
  expect(logins.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('no token that is created meanwhile survives it', async () => {
  const { token, user } = await server.register('Racer');
  const creations = Array.from({ length: 8 }, (_, index) =>
    server.request('POST', '/v1/my/account/tokens', { token, body: { name: `token ${index}` } }),
  );
  const logins = Array.from({ length: 4 }, () => login(user.email, user.password));
  const [changed, ...answers] = await Promise.all([
    change(token, toBody(user, 'next password')),
    ...creations,
    ...logins,
  ]);
  expect(changed.status).toBe(200);
  for (const { body } of answers.filter(({ status }) => status === 200)) {
    expect((await getProfile(body.data.token as string)).status).toBe(401);
  }
});
