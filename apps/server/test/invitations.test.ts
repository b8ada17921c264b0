/** Invitations: a link of an operator with which somebody creates an account, once, also where registration is closed. */
import { MAX_INVITATIONS, type Invitation, type ManagedUser } from '@berth/contract';
import { useTestServer, type TestServer } from '@berth/testing';
import { beforeAll, beforeEach, expect, it } from 'vitest';

const server = useTestServer();
const INVITATIONS = '/v1/operator/invitations';
const PASSWORD = 'correct horse battery staple';
let operator: Awaited<ReturnType<TestServer['registerOperator']>>;
beforeAll(async () => {
  operator = await server.registerOperator();
  Object.assign(server.services.config, { isRegistrationOpen: false });
});
beforeEach(() => server.query('delete from invitations'));

const send = (method: string, path: string, body?: unknown) =>
  server.request(method, path, { token: operator.token, ...(body === undefined ? {} : { body }) });
const list = async () => (await send('GET', INVITATIONS)).body.data as Invitation[];
const invite = async (body: object = {}) => {
  const answer = await send('POST', INVITATIONS, body);
  expect([answer.status, answer.body.ok]).toEqual([200, true]);
  const { invitation, url } = answer.body.data as { invitation: Invitation; url: string };
  return { invitation, code: new URL(url).hash.replace('#invitation=', '') };
};
const accept = (code: string, email?: string) =>
  server.request('POST', '/v1/auth/accept-invitation', {
    body: { code, name: 'Mary Ward', password: PASSWORD, ...(email === undefined ? {} : { email }) },
  });
const findErrors = async (answer: ReturnType<typeof accept>) => Object.keys((await answer).body.errors as object);

it('somebody who was invited creates an account with the plan and limits of the invitation, once', async () => {
  const { invitation, code } = await invite({ plan: 1, limits: { terminals: 2 } });
  expect(await list()).toEqual([invitation]);
  expect(await findErrors(accept(code))).toEqual(['email']);
  expect(await findErrors(accept(code, operator.user.email))).toEqual(['email']);
  expect((await accept(code, 'mary@example.com')).body.data).toEqual({ name: 'Mary Ward', email: 'mary@example.com' });
  expect(await findErrors(accept(code, 'second@example.com'))).toEqual(['code']);
  expect(await list()).toEqual([]);
  const login = await server.request('POST', '/v1/auth/login', {
    body: { email: 'mary@example.com', password: PASSWORD },
  });
  expect(login.status).toBe(200);
  const [user] = (await send('GET', '/v1/operator/users?search=mary')).body.data as ManagedUser[];
  expect(user).toMatchObject({ plan: 1, limits: { terminals: 2, storage_mib: null, regions: null }, role: null });
});

it('an invitation for an address is for that alone: another one is refused, and uses the invitation up as little', async () => {
  const { code } = await invite({ email: 'ines@example.com' });
  expect((await accept(code, 'thief@example.com')).body.errors).toEqual({
    email: ['This invitation is for ines@example.com.'],
  });
  expect((await accept(code, 'Ines@Example.com')).body.data).toMatchObject({ email: 'ines@example.com' });
  const { code: other } = await invite({ email: 'ida@example.com' });
  expect((await accept(other)).body.data).toMatchObject({ email: 'ida@example.com' });
});

it('an invitation that was revoked or has expired is of no use, and neither is a guessed one', async () => {
  const [revoked, late] = [await invite(), await invite()];
  expect((await send('DELETE', `${INVITATIONS}/${revoked.invitation.id}`)).status).toBe(200);
  expect((await send('DELETE', `${INVITATIONS}/${revoked.invitation.id}`)).status).toBe(404);
  await server.query(`update invitations set expires_at = now() where id = $1`, [late.invitation.id]);
  expect(await list()).toEqual([]);
  const guessed = `${late.invitation.id}.${'0'.repeat(48)}`;
  for (const code of [revoked.code, late.code, guessed, 'x', '', `${late.code}.x`])
    expect((await accept(code, 'nobody@example.com')).status).toBe(422);
  const days = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString();
  for (const expires_at of [days(-1), days(91)])
    expect(Object.keys((await send('POST', INVITATIONS, { expires_at })).body.errors as object)).toEqual([
      'expires_at',
    ]);
  expect((await send('POST', INVITATIONS, { limits: { regions: [99] } })).status).toBe(422);
});

it('one of two who accept an invitation at the same moment gets an account', async () => {
  const { code } = await invite();
  const answers = await Promise.all(['a', 'b', 'c'].map((name) => accept(code, `${name}-racer@example.com`)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
});

it('open invitations are bounded, also when they are made at the same moment; expired ones do not count', async () => {
  await server.query(
    `insert into invitations (id, secret_hash, plan, created_by, expires_at)
     select gen_random_uuid(), '', 0, $1, now() + case when n = 1 then interval '0' else interval '1 day' end
     from generate_series(1, $2::integer) n`,
    [operator.user.id, MAX_INVITATIONS],
  );
  const answers = await Promise.all([1, 2, 3].map(() => send('POST', INVITATIONS, {})));
  const codes = answers.map(({ status, headers }) => (status === 200 ? 'made' : headers.get('x-error-code')));
  expect(codes.sort()).toEqual(['made', 'too_many_invitations', 'too_many_invitations']);
});
