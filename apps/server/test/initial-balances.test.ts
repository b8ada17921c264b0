/** What an account began with: as its owner says, or its first deposit; whose it is, and how hosts learn of it. */
import type { GuardedTerminal, ReportedDeal } from '@berth/contract';
import { insertTerminals, TestHost, toAccountState, toDeal, useTestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';

const server = useTestServer();
let host: TestHost;
let owner: { id: string; token: string };
beforeAll(async () => {
  host = await TestHost.enrol(server, { capacity: 10_000 });
  owner = await register('Owner');
});

const register = async (name: string): Promise<{ id: string; token: string }> => {
  const { user, token } = await server.register(name);
  return { id: user.id, token };
};

let logins = 7000;
const createLogin = (): string => String((logins += 1));
const createTerminal = async (login: string, { serverName = 'Harbour-Demo', userId = owner.id } = {}) =>
  (await insertTerminals(server, userId, { hostId: host.id, login, serverName }))[0]!;

const path = (id: string) => `/v1/my/trading/terminals/${id}/account`;
const set = async (id: string, body: object, token = owner.token) => {
  const { status, body: answer } = await server.request('PATCH', path(id), { token, body });
  return { status, data: (answer as { data: object }).data };
};
const setTo = (id: string, initial_balance: string | null) => set(id, { initial_balance });
/** Changes nothing, and answers what is. */
const read = async (id: string, token = owner.token) => (await set(id, {}, token)).data;
const NONE = { initial_balance: null, initial_balance_source: null };
const toOwners = (initial_balance: string) => ({ initial_balance, initial_balance_source: 'owner' });
const toFirst = (initial_balance: string) => ({ initial_balance, initial_balance_source: 'first_deposit' });

const sendDeals = (id: string, login: string, after: string | null, deals: ReportedDeal[]) =>
  host.sendAccounts({
    terminal_id: id,
    login,
    deals: { after, deals, is_complete: true, complete_until: new Date().toISOString() },
  });
const toDeposit = (ticket: number, profit: string, changes: Partial<ReportedDeal> = {}) =>
  toDeal(ticket, { side: 'balance', type: 'balance', entry: 'in', symbol: '', profit, ...changes });

it('the initial balance that an owner sets is shown with the account, and changed and taken back', async () => {
  const login = createLogin();
  const id = await createTerminal(login);
  expect(await read(id)).toEqual(NONE);
  expect(await setTo(id, '100000.00')).toEqual({ status: 200, data: toOwners('100000.00') });
  await host.sendAccounts({ terminal_id: id, login, state: toAccountState() });
  const { body } = await server.request('GET', path(id), { token: owner.token });
  expect(body).toMatchObject({ data: toOwners('100000.00') });
  expect((await setTo(id, '50000')).data).toEqual(toOwners('50000'));
  expect((await setTo(id, null)).data).toEqual(NONE);
});

it.each(['0', '0.00', '-5.00', '1e5', 'much', '1000000000000000', 100_000, true])(
  'an initial balance of %j is refused, and changes nothing',
  async (initial_balance) => {
    const id = await createTerminal(createLogin());
    await setTo(id, '7.00');
    expect((await set(id, { initial_balance })).status).toBe(422);
    expect(await read(id)).toEqual(toOwners('7.00'));
  },
);

it('a field that there is not is refused, because a typo would have effects', async () => {
  expect((await set(await createTerminal(createLogin()), { inital_balance: '5.00' })).status).toBe(422);
});

it('the initial balance that an owner sets is that of the account, whichever terminal uses it, under any of its names', async () => {
  const login = createLogin();
  const id = await createTerminal(login);
  const twin = await createTerminal(`00${login}`, { serverName: 'HARBOUR-demo' });
  const byAddress = await createTerminal(login, { serverName: 'trade.harbour.example:443' });
  const other = await createTerminal(login, { serverName: 'Lagoon-Demo' });
  await setTo(twin, '10000.00');
  for (const each of [id, twin, byAddress]) expect(await read(each)).toEqual(toOwners('10000.00'));
  expect(await read(other)).toEqual(NONE);
  await setTo(byAddress, '20000.00');
  for (const each of [id, twin, byAddress]) expect(await read(each)).toEqual(toOwners('20000.00'));
  await setTo(id, null);
  for (const each of [id, twin, byAddress, other]) expect(await read(each)).toEqual(NONE);
});

it('the initial balance that an owner sets stays with the account when the terminal goes to another one', async () => {
  const [login, next] = [createLogin(), createLogin()];
  const id = await createTerminal(login);
  await setTo(id, '10000.00');
  const move = (to: string) => server.query('update terminals set login = $2 where id = $1', [id, to]);
  await move(next);
  expect(await read(id)).toEqual(NONE);
  await move(login);
  expect(await read(id)).toEqual(toOwners('10000.00'));
});

it('the initial balance that an owner sets is not that of another user of the same account', async () => {
  const login = createLogin();
  const id = await createTerminal(login);
  await setTo(id, '10000.00');
  const stranger = await register('Stranger');
  const strangers = await createTerminal(login, { userId: stranger.id });
  expect(await read(strangers, stranger.token)).toEqual(NONE);
  expect((await set(strangers, { initial_balance: '5.00' }, stranger.token)).data).toEqual(toOwners('5.00'));
  expect((await set(strangers, { initial_balance: null }, stranger.token)).data).toEqual(NONE);
  expect((await set(id, { initial_balance: '5.00' }, stranger.token)).status).toBe(404);
  expect(await read(id)).toEqual(toOwners('10000.00'));
});

it('the initial balance that an owner sets goes two years after no terminal uses the account any more', async () => {
  const [login, used] = [createLogin(), createLogin()];
  const [id, other] = [await createTerminal(login), await createTerminal(used)];
  await setTo(id, '10000.00');
  await setTo(other, '20000.00');
  await server.query(`update initial_balances set set_at = now() - interval '731 days'`);
  await server.query('update terminals set deleted_at = now() where id = $1', [id]);
  await server.prune();
  const kept = await server.query(`select login from initial_balances where login = any($1)`, [[login, used]]);
  expect(kept).toEqual([{ login: used }]);
});

it('the first deposit is what an account began with, as soon as its deals come, and whatever its owner says goes before it', async () => {
  const login = createLogin();
  const id = await createTerminal(login);
  await sendDeals(id, login, null, [
    toDeposit(1, '0.00', { side: 'credit', type: 'credit' }),
    toDeposit(2, '10000.00'),
    toDeal(3),
    toDeposit(4, '5000.00'),
  ]);
  expect(await read(id)).toEqual(toFirst('10000.00'));
  await sendDeals(id, login, '4', [toDeposit(5, '7.00')]);
  expect(await read(id)).toEqual(toFirst('10000.00'));
  expect((await setTo(id, '100000.00')).data).toEqual(toOwners('100000.00'));
  expect((await setTo(id, null)).data).toEqual(toFirst('10000.00'));
});

it('the first deposit stays known when its deal is no longer kept', async () => {
  const login = createLogin();
  const id = await createTerminal(login);
  await sendDeals(id, login, null, [toDeposit(1, '10000.00', { at: '2019-01-01T00:00:00Z' }), toDeal(2)]);
  await server.prune();
  const { body } = await server.request('GET', `/v1/my/trading/terminals/${id}/deals`, { token: owner.token });
  expect((body as { data: { ticket: string }[] }).data.map(({ ticket }) => ticket)).toEqual(['2']);
  expect(await read(id)).toEqual(toFirst('10000.00'));
});

it.each<[string, ReportedDeal[]]>([
  ['a trade comes before it', [toDeal(1), toDeposit(2, '10000.00')]],
  ['the first one took money out', [toDeposit(1, '-10000.00'), toDeposit(2, '10000.00')]],
  ['the first one moved nothing', [toDeposit(1, '0.00'), toDeposit(2, '10000.00')]],
  ['there is none', [toDeposit(1, '10.00', { side: 'other', type: 'bonus' })]],
])('the first deposit is not known where %s', async (_, deals) => {
  const login = createLogin();
  const id = await createTerminal(login);
  await sendDeals(id, login, null, deals);
  await sendDeals(id, login, deals.at(-1)!.ticket, [toDeposit(9, '5.00')]);
  expect(await read(id)).toEqual(NONE);
});

it('the first deposit is not known of an account whose deals began before this was kept', async () => {
  const login = createLogin();
  const id = await createTerminal(login);
  await sendDeals(id, login, null, [toDeposit(1, '10000.00')]);
  await server.query('update deal_cursors set first_deposit = null');
  await sendDeals(id, login, '1', [toDeposit(2, '5000.00')]);
  expect(await read(id)).toEqual(NONE);
});

const readGuarded = async (): Promise<GuardedTerminal[]> => {
  const { body } = await host.call('risk-rules', { settings: 3 });
  return (body as { terminals: GuardedTerminal[] }).terminals;
};
const readVersion = async (): Promise<number> => {
  const { body } = await host.call('risk-rules', { settings: 3 });
  return (body as { risk_version: number }).risk_version;
};

it('the host learns what an account began with, and that it is another amount now, where rules watch it', async () => {
  const trader = await register('Trader');
  const login = createLogin();
  const id = await createTerminal(login, { userId: trader.id });
  const find = async () => (await readGuarded()).find(({ terminal_id: each }) => each === id)?.initial_balance;
  const before = await readVersion();
  await set(id, { initial_balance: '1.00' }, trader.token);
  // Nobody watches.
  expect(await readVersion()).toBe(before);
  await set(id, { initial_balance: null }, trader.token);
  const rule = { name: 'Loss', all: true, kind: 'max_drawdown', percent: 5, actions: ['notify'] };
  await server.request('POST', '/v1/my/risk-rules', { token: trader.token, body: rule });
  expect(await find()).toBeNull();
  let version = await readVersion();
  const expectChange = async () => {
    const now = await readVersion();
    expect(now).toBeGreaterThan(version);
    version = now;
  };
  await sendDeals(id, login, null, [toDeposit(1, '10000.00')]);
  expect(await find()).toBe('10000.00');
  await expectChange();
  await sendDeals(id, login, '1', [toDeposit(2, '10000.00')]);
  expect(await readVersion()).toBe(version);
  await set(id, { initial_balance: '100000.00' }, trader.token);
  expect(await find()).toBe('100000.00');
  await expectChange();
  await set(id, { initial_balance: null }, trader.token);
  expect(await find()).toBe('10000.00');
  await expectChange();
});
