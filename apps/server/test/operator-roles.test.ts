/** What operators may do by their role, who manages operators, and when the password is asked for again. */
import { operatorRoles, publicGroups, toNeededRole, type OperatorRole, type RouteContract } from '@berth/contract';
import { useTestServer, type TestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';

type Account = Awaited<ReturnType<TestServer['register']>>;

const server = useTestServer();
const USERS = '/v1/operator/users';
const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';
const accounts = {} as Record<OperatorRole, Account>;

const setRole = (id: string, role: OperatorRole | null) =>
  server.query('update users set is_operator = $2::text is not null, operator_role = $2 where id = $1', [id, role]);
const registerAs = async (role: OperatorRole | null): Promise<Account> => {
  const account = await server.register(role ?? 'nobody');
  await setRole(account.user.id, role);
  return account;
};
beforeAll(async () => {
  for (const role of operatorRoles) accounts[role] = await registerAs(role);
});

const send = (method: string, path: string, { token }: { token: string }, body?: unknown) =>
  server.request(method, path, { token, ...(body === undefined ? {} : { body }) });
const patch = (as: Account, id: string, body: unknown) => send('PATCH', `${USERS}/${id}`, as, body);
const toOutcome = ({ status, headers }: Awaited<ReturnType<typeof send>>) => [status, headers.get('x-error-code')];

it('a viewer reads everything of operators and changes nothing, whatever is added later', () => {
  const routes = Object.values(publicGroups).flatMap((group) => Object.values<RouteContract>(group));
  for (const route of routes.filter(({ auth }) => auth === 'operator')) {
    expect([route.url, toNeededRole(route) === 'viewer']).toEqual([route.url, route.method === 'GET']);
  }
});

it('an operator manages users, and neither owners nor other operators', async () => {
  const { operator, owner } = accounts;
  const [user, other] = [await registerAs(null), await registerAs('viewer')];
  expect((await patch(operator, user.user.id, { plan: 1 })).status).toBe(200);
  expect((await patch(operator, operator.user.id, { name: 'Myself' })).status).toBe(200);
  for (const id of [other.user.id, owner.user.id]) {
    const path = `${USERS}/${id}`;
    for (const [method, to, body] of [
      ['PATCH', path, { plan: 1 }],
      ['POST', `${path}/password-link`, {}],
      ['POST', `${path}/sign-out`, {}],
      ['DELETE', path, { reason: 'Left' }],
    ] as const)
      expect([method, ...toOutcome(await send(method, to, operator, body))]).toEqual([method, 403, 'missing_role']);
  }
  for (const id of [user.user.id, operator.user.id])
    expect(toOutcome(await patch(operator, id, { role: 'owner' }))).toEqual([403, 'missing_role']);
  expect((await patch(owner, user.user.id, { role: 'operator' })).body.data).toMatchObject({
    is_operator: true,
    role: 'operator',
  });
  expect((await send('GET', USERS, user)).status).toBe(200);
  expect((await patch(owner, user.user.id, { role: null })).body.data).toMatchObject({
    is_operator: false,
    role: null,
  });
  expect(toOutcome(await send('GET', USERS, user))).toEqual([403, 'operator_only']);
});

it('one active owner remains, also when two owners demote each other at the same moment', async () => {
  const { owner } = accounts;
  const second = await registerAs('owner');
  for (let round = 0; round < 5; round += 1) {
    const demoted = await Promise.all([
      patch(owner, second.user.id, { role: 'viewer' }),
      patch(second, owner.user.id, { role: null }),
    ]);
    expect(demoted.map(({ status }) => status).sort()).toEqual([200, 403]);
    for (const { user } of [owner, second]) await setRole(user.id, 'owner');
  }
  await patch(owner, second.user.id, { role: 'operator' });
  expect(toOutcome(await patch(owner, owner.user.id, { role: 'operator' }))).toEqual([409, 'last_owner']);
  await patch(owner, second.user.id, { role: 'owner' });
  await server.query(`update users set status = 1 where id = $1`, [second.user.id]);
  expect(toOutcome(await patch(owner, owner.user.id, { role: null }))).toEqual([409, 'last_owner']);
});

/** A browser that is signed in, with a session that is confirmed or not. */
const signIn = async (account: Account, { isConfirmed }: { isConfirmed: boolean }) => {
  const body = { email: account.user.email, password: account.user.password, session: true };
  const answer = await server.request('POST', '/v1/auth/login', { body, headers: { origin: server.url } });
  const cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
  if (!isConfirmed) await server.query('update tokens set confirmed_at = null where user_id = $1', [account.user.id]);
  const headers = { cookie, origin: server.url, 'x-berth-csrf': answer.body.data.csrf_token as string };
  return (method: string, path: string, sent?: unknown) =>
    server.request(method, path, { headers, ...(sent === undefined ? {} : { body: sent }) });
};
const CONFIRM = '/v1/my/account/sessions/confirm';

it('a session gives the password again before it destroys or reveals, and then for ten minutes; a token is not asked', async () => {
  const owner = await registerAs('owner');
  const { user } = await registerAs(null);
  const ask = await signIn(owner, { isConfirmed: false });
  const guarded = [
    ['POST', `${USERS}/${user.id}/password-link`, {}],
    ['PATCH', `${USERS}/${user.id}`, { role: 'viewer' }],
    ['POST', '/v1/my/account/tokens', { name: 'script' }],
    ['POST', '/v1/operator/join-tokens', { region: 0, name: 'h' }],
    ['DELETE', `/v1/operator/hosts/${UNKNOWN_ID}`, {}],
    ['POST', `/v1/my/webhooks/${UNKNOWN_ID}/rotate-secret`, {}],
    ['DELETE', `${USERS}/${user.id}`, { reason: 'Left' }],
  ] as const;
  for (const [method, path, body] of guarded)
    expect([path, ...toOutcome(await ask(method, path, body))]).toEqual([path, 403, 'password_required']);
  expect((await ask('PATCH', `${USERS}/${user.id}`, { plan: 0 })).status).toBe(200);
  const wrong = await ask('POST', CONFIRM, { password: 'wrong' });
  expect([wrong.status, Object.keys(wrong.body.errors as object)]).toEqual([422, ['password']]);
  expect(toOutcome(await ask(...guarded[0]))).toEqual([403, 'password_required']);
  expect((await ask('POST', CONFIRM, { password: owner.user.password })).body.data).toEqual({
    confirmed_until: expect.any(String) as string,
  });
  for (const [method, path, body] of guarded) expect((await ask(method, path, body)).status).not.toBe(403);
  await server.query(`update tokens set confirmed_at = now() - interval '10 minutes' where user_id = $1`, [
    owner.user.id,
  ]);
  expect(toOutcome(await ask(...guarded[0]))).toEqual([403, 'password_required']);
  const log = await server.query(
    `select action, result from audit_log where actor_user_id = $1 and (action = 'session.confirm' or result = 'refused')`,
    [owner.user.id],
  );
  const rows = log.map(({ action, result }) => [action, result] as [string, string]);
  expect(rows.toSorted()).toEqual([
    ['session.confirm', 'done'],
    ['session.confirm', 'refused'],
  ]);
  expect((await send('POST', '/v1/operator/join-tokens', owner, { region: 0, name: 'h' })).status).toBe(200);
});

it('a sign-in with the password confirms its session, and none of the others', async () => {
  const owner = await registerAs('owner');
  const [old, fresh] = [await signIn(owner, { isConfirmed: false }), await signIn(owner, { isConfirmed: true })];
  const order = ['POST', '/v1/operator/join-tokens', { region: 0, name: 'h' }] as const;
  expect((await fresh(...order)).status).toBe(200);
  expect(toOutcome(await old(...order))).toEqual([403, 'password_required']);
});
