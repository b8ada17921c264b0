/** What an operator does with the accounts of users: create, limit, suspend, sign out. */
import {
  TaskStatus,
  TaskType,
  TerminalStatus,
  type ManagedUser,
  type PasswordLink,
  type TradingStop,
} from '@berth/contract';
import { useTestServer, type TestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';
import { addUpChanges } from '../src/storage/budget.ts';

const server = useTestServer({ config: { isRegistrationOpen: true } });
let operator: Awaited<ReturnType<TestServer['registerOperator']>>;
beforeAll(async () => {
  operator = await server.registerOperator();
});

const USERS = '/v1/operator/users';
const PASSWORD = 'correct horse battery staple';

const send = (method: string, path: string, body?: unknown) =>
  server.request(method, path, { token: operator.token, ...(body === undefined ? {} : { body }) });
const read = async (id: string) => (await send('GET', `${USERS}/${id}`)).body.data as ManagedUser;
const patch = (id: string, body: unknown) => send('PATCH', `${USERS}/${id}`, body);

let made = 0;
const create = async (body: object = {}) => {
  const email = `made-${(made += 1)}@example.com`;
  const answer = await send('POST', USERS, { name: 'Made by the operator', email, ...body });
  expect([answer.status, answer.body.ok]).toEqual([200, true]);
  return answer.body.data as { user: ManagedUser; password_link: PasswordLink };
};
const toCode = ({ url }: PasswordLink) => new URL(url).hash.replace('#password=', '');
const setPassword = (code: string, password = PASSWORD) =>
  server.request('POST', '/v1/auth/set-password', { body: { code, password } });
const signIn = (email: string, password = PASSWORD) =>
  server.request('POST', '/v1/auth/login', { body: { email, password } });

/** A trader with terminals that trade. */
const createTrader = async (terminals: number) => {
  const { token, user } = await server.register('Trader');
  const rows = await server.query(
    `insert into terminals (id, user_id, project_id, region_id, platform, name, server_name, login, status, trading_allowed)
     select gen_random_uuid(), u.id, u.default_project_id, 0, 'sandbox', 'T' || n, 'Demo', n, ${TerminalStatus.ACTIVE}, true
     from users u cross join generate_series(1, $2::integer) n where u.id = $1 returning id`,
    [user.id, terminals],
  );
  return { token, id: user.id, terminalIds: rows.map((row) => row.id as string) };
};
const listTasks = (userId: string) =>
  server.query('select type, payload, status, actor from tasks where user_id = $1 order by seq', [userId]);

it('an operator creates a user where registration is closed, and the user sets a password with the link, once', async () => {
  const { user, password_link: link } = await create({ external_id: 'crm-1', plan: 1, limits: { terminals: 2 } });
  expect(user).toMatchObject({
    ...{
      name: 'Made by the operator',
      external_id: 'crm-1',
      plan: 1,
      status: 'active',
      suspension: null,
      terminals: 0,
    },
    ...{ limits: { terminals: 2, storage_mib: null, regions: null }, is_operator: false, last_seen_at: null },
  });
  expect((await signIn(user.email, '')).status).toBe(422);
  expect((await setPassword(toCode(link), '123456')).body.errors).toHaveProperty('password');
  expect((await setPassword(toCode(link))).status).toBe(200);
  expect((await setPassword(toCode(link), 'another good password')).body.errors).toHaveProperty('code');
  expect((await signIn(user.email)).status).toBe(200);
});

it('a link to set a password is of no use once another one was made, the password was changed, or three days are over', async () => {
  const { user, password_link: first } = await create();
  const again = async () => (await send('POST', `${USERS}/${user.id}/password-link`)).body.data as PasswordLink;
  const second = await again();
  expect((await setPassword(toCode(first))).status).toBe(422);
  expect((await setPassword(toCode(second))).status).toBe(200);
  const third = await again();
  const { token } = (await signIn(user.email)).body.data as { token: string };
  const change = {
    current_password: PASSWORD,
    new_password: 'a third password',
    new_password_confirmation: 'a third password',
  };
  const path = '/v1/my/account/security/change-password';
  expect((await server.request('POST', path, { token, body: change })).body).toMatchObject({ ok: true });
  expect((await setPassword(toCode(third))).status).toBe(422);
  const late = await again();
  await server.query(`update password_links set expires_at = now() - interval '1 second' where user_id = $1`, [
    user.id,
  ]);
  expect((await setPassword(toCode(late))).status).toBe(422);
});

it('a user is found by name, address or external id, and two cannot have the same external id or address', async () => {
  const { user } = await create({ name: 'Percent % sign', external_id: 'unique-77' });
  const find = async (query: string) =>
    ((await send('GET', `${USERS}?${query}`)).body.data as ManagedUser[]).map(({ id }) => id);
  expect(await find('search=cent%20%25')).toEqual([user.id]);
  expect(await find('search=UNIQUE-7')).toEqual([user.id]);
  expect(await find(`search=${encodeURIComponent(user.email)}`)).toContain(user.id);
  expect(await find('search=unique-77&status=suspended')).toEqual([]);
  const taken = await send('POST', USERS, { name: 'Another', email: 'another@example.com', external_id: 'unique-77' });
  expect([taken.status, Object.keys(taken.body.errors as object)]).toEqual([422, ['external_id']]);
  expect(await find('search=another%40example.com')).toEqual([]);
  const same = await send('POST', USERS, { name: 'Another', email: user.email.toUpperCase() });
  expect([same.status, Object.keys(same.body.errors as object)]).toEqual([422, ['email']]);
});

it('a limit of terminals set by an operator stands in place of that of the plan, from the next request on', async () => {
  const trader = await createTrader(1);
  const body = { server_name: 'Demo', login: '1', password: 'secret-password', region: 0 };
  const add = () => server.request('POST', '/v1/my/trading/terminals', { token: trader.token, body });
  await patch(trader.id, { limits: { terminals: 1 } });
  expect((await add()).body).toMatchObject({ ok: false, code: expect.any(String) });
  await patch(trader.id, { limits: { terminals: 2 } });
  expect((await add()).body.ok).toBe(true);
  await patch(trader.id, { limits: { storage_mib: 3 } });
  expect((await read(trader.id)).limits).toEqual({ terminals: 2, storage_mib: 3, regions: null });
  const usage = await server.request('GET', '/v1/my/account/usage', { token: trader.token });
  expect(usage.body.data.quota_bytes).toBe(3 * 1024 * 1024);
});

it('what users store is in their list and their own usage alike, rounded up, and of each user alone', async () => {
  const [trader, other] = [await createTrader(0), await createTrader(0)];
  const file = Buffer.alloc(3 * 1024 * 1024, 'x');
  expect((await server.upload(trader.token, file, 'x.set')).status).toBe(200);
  const add = (kind: string, bytes: number) =>
    server.query('insert into storage_changes (user_id, kind, bytes) values ($1, $2, $3)', [trader.id, kind, bytes]);
  await add('tasks', 1024 * 1024);
  await addUpChanges(server.services.db);
  await add('tasks', 100);
  const usage = await server.request('GET', '/v1/my/account/usage', { token: trader.token });
  const used = Math.ceil(usage.body.data.used_bytes / 1024 / 1024);
  const list = (await send('GET', USERS)).body.data as ManagedUser[];
  const find = (id: string) => list.find((user) => user.id === id)?.storage_used_mib;
  expect([used, find(trader.id), (await read(trader.id)).storage_used_mib, find(other.id)]).toEqual([5, 5, 5, 0]);
});

it('a user with regions sees and gets no others', async () => {
  const trader = await createTrader(0);
  await patch(trader.id, { limits: { regions: [1] } });
  const regions = await server.request('GET', '/v1/my/trading/terminals/regions', { token: trader.token });
  expect((regions.body.data as { id: number }[]).map(({ id }) => id)).toEqual([1]);
  const add = (region?: number) =>
    server.request('POST', '/v1/my/trading/terminals', {
      token: trader.token,
      body: {
        server_name: 'Demo',
        login: '1',
        password: 'secret-password',
        ...(region === undefined ? {} : { region }),
      },
    });
  expect((await add(0)).body.errors).toHaveProperty('region');
  const anywhere = await add();
  expect(anywhere.body.data.region).toBe(1);
  expect(await server.query('select any_region from terminals where user_id = $1', [trader.id])).toEqual([
    { any_region: false },
  ]);
  expect((await patch(trader.id, { limits: { regions: [99] } })).body.errors).toHaveProperty(['limits.regions.0']);
});

it('a suspension without a reason or a choice for the terminals changes nothing', async () => {
  const trader = await createTrader(1);
  for (const body of [
    { status: 'suspended' },
    { status: 'suspended', suspension: { reason: 'Debt' } },
    { suspension: { reason: 'Debt', terminals: 'stop' } },
  ])
    expect((await patch(trader.id, body)).status).toBe(422);
  expect(await read(trader.id)).toMatchObject({ status: 'active', suspension: null });
});

it('a suspended user is refused everywhere, and the terminals go on where they are kept', async () => {
  const trader = await createTrader(1);
  const suspension = { reason: 'Debt', terminals: 'keep' };
  expect((await patch(trader.id, { status: 'suspended', suspension })).body.data).toMatchObject({
    status: 'suspended',
    suspension,
  });
  const profile = await server.request('GET', '/v1/my/account/profile', { token: trader.token });
  expect([profile.status, profile.headers.get('x-error-code')]).toEqual([403, 'account_suspended']);
  expect(await listTasks(trader.id)).toEqual([]);
  const link = await send('POST', `${USERS}/${trader.id}/password-link`);
  expect([link.status, link.headers.get('x-error-code')]).toEqual([409, 'user_not_active']);
  await patch(trader.id, { status: 'active' });
  expect(await read(trader.id)).toMatchObject({ status: 'active', suspension: null });
  expect((await server.request('GET', '/v1/my/account/profile', { token: trader.token })).status).toBe(200);
});

it('a suspension that switches trading off cancels what waits, ends runs, and asks until it is confirmed', async () => {
  const trader = await createTrader(3);
  const on = { type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 1 } };
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const path = `/v1/my/trading/terminals/${trader.terminalIds[0]}/tasks`;
  expect(
    (await server.request('POST', path, { token: trader.token, body: { ...on, planned_at: later } })).body.ok,
  ).toBe(true);
  const bulk = { ...on, filter: {}, planned_at: later };
  const run = await server.request('POST', '/v1/my/trading/bulk-runs', { token: trader.token, body: bulk });
  expect(run.body.ok).toBe(true);
  await patch(trader.id, { status: 'suspended', suspension: { reason: 'Debt', terminals: 'trading_off' } });
  const tasks = await listTasks(trader.id);
  const open = tasks.filter(({ status }) => status !== TaskStatus.CANCELED);
  expect(open.map(({ type, payload }) => [type, payload])).toEqual(
    trader.terminalIds.map(() => [TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 0 }]),
  );
  expect(tasks.length).toBeGreaterThan(open.length);
  expect(
    await server.query('select count(*)::int as total from trading_stop_terminals where user_id = $1', [trader.id]),
  ).toEqual([{ total: 3 }]);
  const runs = await server.query('select id from bulk_runs where user_id = $1 and canceled_at is null', [trader.id]);
  expect(runs).toHaveLength(1);
});

it('a stop that a suspension began says after it that it was an operator, and one that the user began does not', async () => {
  const trader = await createTrader(1);
  const stopPath = '/v1/my/trading/stop';
  const isByOperator = async () =>
    ((await server.request('GET', stopPath, { token: trader.token })).body.data.stop as TradingStop).is_by_operator;
  const suspension = { reason: 'Debt', terminals: 'trading_off' };
  await patch(trader.id, { status: 'suspended', suspension });
  await patch(trader.id, { status: 'suspended', suspension: { ...suspension, reason: 'More debt' } });
  await patch(trader.id, { status: 'active' });
  expect(await isByOperator()).toBe(true);
  await server.request('POST', `${stopPath}/end`, { token: trader.token, body: { restore: false } });
  await server.request('POST', stopPath, { token: trader.token });
  expect(await isByOperator()).toBe(false);
  // It was there before the suspension.
  await patch(trader.id, { status: 'suspended', suspension });
  await patch(trader.id, { status: 'active' });
  expect(await isByOperator()).toBe(false);
});

it('a suspension stops the terminals of a user who has as many open runs as one may have', async () => {
  const trader = await createTrader(2);
  await server.query(
    `insert into bulk_runs (id, user_id, type, payload, total, stagger_seconds)
     select gen_random_uuid(), $1, ${TaskType.TERMINAL_STOP}, '{}', 0, 0
     from generate_series(1, 100)`,
    [trader.id],
  );
  await patch(trader.id, { status: 'suspended', suspension: { reason: 'Fraud', terminals: 'stop' } });
  expect((await listTasks(trader.id)).map(({ type }) => type)).toEqual([
    TaskType.TERMINAL_STOP,
    TaskType.TERMINAL_STOP,
  ]);
});

it('a user without terminals can be suspended with any choice, and an operator cannot suspend the own account', async () => {
  for (const terminals of ['trading_off', 'stop']) {
    const trader = await createTrader(0);
    expect((await patch(trader.id, { status: 'suspended', suspension: { reason: 'Debt', terminals } })).status).toBe(
      200,
    );
  }
  const own = await patch(operator.user.id, { status: 'suspended', suspension: { reason: 'Oops', terminals: 'keep' } });
  expect([own.status, own.headers.get('x-error-code')]).toEqual([409, 'own_account']);
});

it('signing a user out ends sessions and tokens, and nobody but an operator does any of it', async () => {
  const trader = await createTrader(0);
  const other = await server.register('Other');
  const requests = [
    ['GET', USERS],
    ['POST', USERS],
    ['GET', `${USERS}/${trader.id}`],
    ['PATCH', `${USERS}/${trader.id}`],
    ['POST', `${USERS}/${trader.id}/password-link`],
    ['POST', `${USERS}/${trader.id}/sign-out`],
  ] as const;
  for (const [method, path] of requests) {
    const { status } = await server.request(method, path, {
      token: other.token,
      ...(method === 'GET' ? {} : { body: {} }),
    });
    expect([method, path, status]).toEqual([method, path, 403]);
  }
  expect((await send('POST', `${USERS}/${trader.id}/sign-out`)).status).toBe(200);
  expect((await server.request('GET', '/v1/my/account/profile', { token: trader.token })).status).toBe(401);
  expect((await send('POST', `${USERS}/0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10/sign-out`)).status).toBe(404);
});
