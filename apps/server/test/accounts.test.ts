/** The state of an account: whose word counts, what is kept of it, what its owner reads, and what the history says. */
import { randomUUID } from 'node:crypto';
import { MAX_POSITIONS_BYTES, type AccountPoint, type AccountState, type Position } from '@berth/contract';
import { insertTerminals, EventReader, TestHost, toAccountState, waitFor, useTestServer } from '@berth/testing';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';

const server = useTestServer();
let host: TestHost;
let owner: { id: string; token: string };
let stranger: { token: string };
beforeAll(async () => {
  host = await TestHost.enrol(server, { capacity: 10_000 });
  const { user, token } = await server.register('Owner');
  owner = { id: user.id, token };
  stranger = { token: (await server.register('Stranger')).token };
});

const createTerminal = async (hostId: string = host.id, login = '5001'): Promise<string> =>
  (await insertTerminals(server, owner.id, { hostId, login, serverName: 'Harbour-Demo' }))[0]!;

const read = async <Data>(path: string, token = owner.token) => {
  const { status, headers, body } = await server.request('GET', `/v1/my/trading/${path}`, { token });
  return { status, code: headers.get('x-error-code'), data: (body as { data: Data }).data };
};
const readAccount = (id: string, token?: string) =>
  read<Record<string, unknown> & { positions: Position[] }>(`terminals/${id}/account`, token);
const readPoints = async (id: string, query = '') =>
  (await read<{ step_seconds: number; points: AccountPoint[] }>(`terminals/${id}/account/history${query}`)).data;

let sequence = 1;
/** Reports a state that is newer than any before. */
const send = (id: string, changes: Partial<AccountState> = {}, from = host) => {
  sequence += 1;
  return from.sendAccounts({ terminal_id: id, state: toAccountState({ sequence, ...changes }) });
};
/** As if everything that is known of the account had been reported so much earlier. */
const goBack = (id: string, span: string) =>
  server.query(
    `update trading_accounts set taken_at = taken_at - $2::interval, seen_at = seen_at - $2::interval,
       minute_at = date_bin('1 minute', minute_at - $2::interval, timestamptz 'epoch'),
       day_at = date_bin('1 day', day_at - $2::interval, timestamptz 'epoch') where terminal_id = $1`,
    [id, span],
  );

const toPosition = (number: number, changes: Partial<Position> = {}): Position => ({
  ticket: String(number),
  symbol: 'EURUSD',
  side: 'buy',
  volume: '0.10',
  open_price: '1.05000',
  price: '1.05010',
  stop_loss: null,
  take_profit: '1.10000',
  swap: '0.00',
  profit: '1.00',
  magic: '-9223372036854775808',
  comment: '',
  opened_at: '2026-01-31T08:15:30.123Z',
  ...changes,
});

it('the account of a terminal is not there before its host has reported it, and is what it said last, to the last digit', async () => {
  const id = await createTerminal();
  expect(await readAccount(id)).toMatchObject({ status: 404, code: 'no_account_data' });
  expect(await send(id)).toMatchObject({ too_soon: [], refused: [], cursors: [] });
  const positions = [toPosition(1), toPosition(2, { side: 'sell', comment: 'a "b" \\ {c}' })];
  await goBack(id, '2 seconds');
  const amounts = {
    balance: '10000.10',
    equity: '-0.30',
    margin_level: '123.45',
    profit: '999999999999999.99999999',
  };
  await send(id, { ...amounts, positions, positions_total: 2 });
  const { status, data } = await readAccount(id);
  const expected = {
    ...amounts,
    login: '5001',
    server: 'Harbour-Demo',
    currency: 'USD',
    leverage: 100,
    is_current: true,
  };
  expect(data).toMatchObject({
    ...expected,
    margin_mode: 'hedging',
    credit: '0.00',
    positions_total: 2,
    positions,
    orders: [],
  });
  expect(status).toBe(200);
  expect(data).not.toHaveProperty('sequence');
});

it('the account of a terminal says whether the terminal is connected, and when its prices came last, by the clock of the server', async () => {
  const id = await createTerminal();
  await send(id, { connected: false, is_synchronized: false, tick_age_ms: 60_000, age_ms: 5_000, at: '1999-01-01' });
  const { data } = await readAccount(id);
  expect(data).toMatchObject({ connected: false, synchronized: false, is_synchronized: false });
  expect(Date.parse(String(data.seen_at)) - Date.parse(String(data.last_tick_at))).toBe(60_000);
  await goBack(id, '2 seconds');
  await send(id, { tick_age_ms: null });
  expect((await readAccount(id)).data).toMatchObject({ connected: true, synchronized: true, last_tick_at: null });
  await goBack(id, '2 seconds');
  const { connected: _connected, tick_age_ms: _tickAge, ...old } = toAccountState({ sequence: (sequence += 1) });
  await host.sendAccounts({ terminal_id: id, state: old });
  expect((await readAccount(id)).data).toMatchObject({ connected: null, synchronized: true, last_tick_at: null });
});

it('the account of a terminal is old as soon as nothing new comes, its terminal is not active, or it is not synchronised', async () => {
  const id = await createTerminal();
  const isCurrent = async () => (await readAccount(id)).data.is_current;
  await send(id, { is_synchronized: false });
  expect(await isCurrent()).toBe(false);
  await goBack(id, '1 second');
  await send(id, { age_ms: 10_000 });
  expect(await isCurrent()).toBe(true);
  await goBack(id, '6 seconds');
  expect(await isCurrent()).toBe(false);
  await send(id);
  await server.query('update terminals set status = 4 where id = $1', [id]);
  expect(await isCurrent()).toBe(false);
  // Of a clock that was set back: a time that is to come proves nothing.
  await server.query('update terminals set status = 3 where id = $1', [id]);
  await goBack(id, '-1 hour');
  expect(await isCurrent()).toBe(false);
  // And it blocks nobody.
  expect((await send(id)).too_soon).toEqual([]);
  expect(await isCurrent()).toBe(true);
});

it('the account of a terminal counts in the overview of its owner only, and is found by nobody once it is gone', async () => {
  const id = await createTerminal();
  await send(id);
  expect((await readAccount(id)).status).toBe(200);
  expect((await read(`accounts/overview?ids=${id}`, stranger.token)).data).toEqual({ accounts: [], totals: [] });
  await server.query('update terminals set deleted_at = now() where id = $1', [id]);
  expect((await readAccount(id)).status).toBe(404);
});

it('the account of a terminal is the word of the host that the terminal is on', async () => {
  const other = await TestHost.enrol(server, { region: 1 });
  const id = await createTerminal();
  for (const each of [id, randomUUID()])
    expect((await send(each, {}, other)).refused).toEqual([{ terminal_id: each, reason: 'not_here' }]);
  expect((await readAccount(id)).status).toBe(404);
  await send(id);
  await server.query('update terminals set host_id = $2 where id = $1', [id, other.id]);
  expect((await readAccount(id)).data.is_current).toBe(false);
  await goBack(id, '1 second');
  // Its sequence begins anew there.
  await other.sendAccounts({ terminal_id: id, state: toAccountState({ sequence: 0, balance: '7.00' }) });
  expect((await readAccount(id)).data).toMatchObject({ balance: '7.00', is_current: true });
});

it('the account of a terminal is never shown as that of another login, neither before nor after the terminal changed to it', async () => {
  const id = await createTerminal();
  await send(id, { balance: '1.00' });
  await server.query(`update terminals set login = '5002' where id = $1`, [id]);
  expect((await readAccount(id)).code).toBe('no_account_data');
  expect((await readPoints(id)).points).toEqual([]);
  expect((await send(id)).refused).toEqual([{ terminal_id: id, reason: 'other_account' }]);
  const state = toAccountState({ sequence: 9, balance: '2.00' });
  await host.sendAccounts({ terminal_id: id, login: '5002', server: 'harbour-demo', state });
  expect((await readAccount(id)).data).toMatchObject({ balance: '2.00', login: '5002' });
  await server.query(`update terminals set login = '5001' where id = $1`, [id]);
  expect((await readAccount(id)).data).toMatchObject({ balance: '1.00', login: '5001' });
  await server.query(`update terminals set server_name = 'Other-Demo' where id = $1`, [id]);
  expect((await readAccount(id)).code).toBe('no_account_data');
});

it('what a host says of an account counts once per second, in the order of its sequence, and while it is fresh', async () => {
  const id = await createTerminal();
  const sendNumber = (number: number, balance: string) => send(id, { sequence: number, balance });
  await sendNumber(10, '10.00');
  expect((await sendNumber(11, '11.00')).too_soon).toEqual([id]);
  await goBack(id, '1 second');
  for (const number of [10, 9, 0])
    expect((await sendNumber(number, '9.00')).refused).toEqual([{ terminal_id: id, reason: 'old_sequence' }]);
  expect((await send(id, { age_ms: 15_001 })).refused).toEqual([{ terminal_id: id, reason: 'old_numbers' }]);
  expect((await readAccount(id)).data.balance).toBe('10.00');
  // What is not current any more stands in nobody's way: the terminal was installed again.
  await goBack(id, '1 minute');
  expect((await sendNumber(1, '1.00')).refused).toEqual([]);
  expect((await readAccount(id)).data).toMatchObject({ balance: '1.00', is_current: true });
});

it.each([
  ['an exponent', { balance: '1e308' }],
  ['no number', { equity: 'NaN' }],
  ['infinity', { equity: 'Infinity' }],
  ['a number that is no text', { equity: 5 }],
  ['sixteen digits', { equity: '1234567890123456' }],
  ['nine digits after the point', { equity: '1.123456789' }],
  ['a negative sequence', { sequence: -1 }],
  ['a sequence that no number holds', { sequence: 2 ** 60 }],
  ['a margin mode that there is not', { margin_mode: 'exchange' }],
  ['a currency of two lines', { currency: 'US\nD' }],
  [
    'ten thousand positions',
    { positions: Array.from({ length: 10_000 }, (_, n) => ({ ...toPosition(0), ticket: String(n) })) },
  ],
  ['a ticket that is none', { positions: [{ ...toPosition(1), ticket: '-1' }] }],
  ['a date that is none', { positions: [{ ...toPosition(1), opened_at: '2026-02-30T00:00:00Z' }] }],
])('what a host says of an account is refused with %s', async (_, changes) => {
  const id = await createTerminal();
  const state = { ...toAccountState(), ...changes };
  const terminals = [{ terminal_id: id, login: '5001', server: 'Harbour-Demo', state }];
  const { status } = await host.call('accounts', { terminals });
  // What is larger than a call may be is refused before it is read.
  expect([413, 422]).toContain(status);
  expect((await readAccount(id)).status).toBe(404);
});

it('what a host says of an account is cut where it has more positions than are kept, and says how many there are', async () => {
  const id = await createTerminal();
  const positions = Array.from({ length: 1_000 }, (_, n) => toPosition(n + 1, { comment: 'é'.repeat(60) }));
  await send(id, { positions, positions_total: 1_000 });
  const { data } = await readAccount(id);
  expect(data.positions_total).toBe(1_000);
  expect(data.positions.length > 150 && data.positions.length < 1_000).toBe(true);
  expect(data.positions).toEqual(positions.slice(0, data.positions.length));
  const [row] = await server.query(
    'select octet_length(positions::text) + octet_length(orders::text) as bytes from trading_accounts where terminal_id = $1',
    [id],
  );
  expect(row!.bytes).toBeLessThanOrEqual(MAX_POSITIONS_BYTES);
});

it('what a host says of an account is that of a terminal whose server is given by its address, by the login alone', async () => {
  const id = await createTerminal();
  await server.query(`update terminals set server_name = '203.0.113.7:443' where id = $1`, [id]);
  await send(id, { balance: '3.00' });
  expect((await readAccount(id)).data).toMatchObject({ balance: '3.00' });
  await server.query(`update terminals set login = '5002' where id = $1`, [id]);
  expect((await send(id, { sequence: 99 })).refused).toEqual([{ terminal_id: id, reason: 'other_account' }]);
});

it('what a host says of an account is that of a terminal whose login was given with leading zeros', async () => {
  const id = await createTerminal(host.id, '005001');
  expect((await send(id, { balance: '4.00' })).refused).toEqual([]);
  expect((await readAccount(id)).data).toMatchObject({ balance: '4.00', login: '005001' });
});

it('what a host says of an account is taken for all terminals of a call, once each, whatever is wrong with some of them', async () => {
  const [first, second, third] = [await createTerminal(), await createTerminal(), await createTerminal(host.id, '6')];
  const state = (balance: string) => toAccountState({ sequence: 5, balance });
  const answer = await host.sendAccounts(
    { terminal_id: second, state: state('2.00') },
    { terminal_id: third, state: state('3.00') },
    { terminal_id: first, state: state('1.00') },
    { terminal_id: second, state: state('2.50') },
  );
  expect(answer.refused).toEqual([{ terminal_id: third, reason: 'other_account' }]);
  const balances = [first, second].map(async (id) => (await readAccount(id)).data.balance);
  expect(await Promise.all(balances)).toEqual(['1.00', '2.50']);
});

/** States of one minute have to arrive in one: where little is left of this one, the next one is waited for. */
const waitForTimeInMinute = () => waitFor(() => Date.now() % 60_000 < 45_000, { what: 'the next minute' });

it('the history of an account has the lowest and highest equity of each step, whatever the states were', async () => {
  const amount = fc.integer({ min: -1_000_000, max: 1_000_000 }).map((cents) => (cents / 100).toFixed(2));
  // So many minutes ago, and the equities that were seen in it.
  const minutes = fc.uniqueArray(
    fc.record({
      ago: fc.integer({ min: 2, max: 1_400 }),
      equities: fc.array(amount, { minLength: 1, maxLength: 3 }),
    }),
    { minLength: 2, maxLength: 6, selector: ({ ago }) => ago },
  );
  await fc.assert(
    fc.asyncProperty(minutes, async (drawn) => {
      const id = await createTerminal();
      const sorted = [...drawn].sort((a, b) => b.ago - a.ago);
      let agoNow = 0;
      const nowMs = Date.now();
      for (const { ago, equities } of sorted) {
        await waitForTimeInMinute();
        // Time passes for what is known: the states arrive in the minute that is now, and go back to where they belong.
        for (const equity of equities) {
          await send(id, { equity, balance: equity });
          await goBack(id, '1 second');
          await server.query(
            `update trading_accounts set minute_at = date_bin('1 minute', now(), timestamptz 'epoch') where terminal_id = $1`,
            [id],
          );
        }
        await goBack(id, `${ago} minutes`);
        agoNow = ago;
      }
      await send(id, { equity: '0.00', balance: '0.00' });
      expect(agoNow).toBeGreaterThan(0);
      const all = sorted.flatMap(({ equities }) => equities.map(Number));
      for (const step of [60, 900, 3600, 86400]) {
        const from = new Date(nowMs - 86_400_000).toISOString();
        const { points } = await readPoints(id, `?step=${step}&from=${from}`);
        expect(Math.min(...points.map(({ equity_min }) => Number(equity_min)))).toBe(Math.min(0, ...all));
        expect(Math.max(...points.map(({ equity_max }) => Number(equity_max)))).toBe(Math.max(0, ...all));
        for (const { equity, equity_min, equity_max } of points)
          expect(Number(equity) >= Number(equity_min) && Number(equity) <= Number(equity_max)).toBe(true);
      }
      const { points } = await readPoints(id, '?step=60');
      const seen = points
        .slice(0, -1)
        .map(({ equity_min, equity_max, equity }) => [equity_min, equity_max, equity].map(Number));
      const expected = sorted.map(({ equities }) => {
        const numbers = equities.map(Number);
        return [Math.min(...numbers), Math.max(...numbers), numbers.at(-1)];
      });
      expect(seen).toEqual(expected);
    }),
    { numRuns: 5 },
  );
});

it('the history of an account is written once per minute and account, however often its host reports', async () => {
  const id = await createTerminal();
  for (const equity of ['5.00', '3.00', '4.00']) {
    await send(id, { equity });
    await server.query(`update trading_accounts set taken_at = taken_at - interval '1 second' where terminal_id = $1`, [
      id,
    ]);
  }
  await goBack(id, '1 minute');
  for (let round = 0; round < 3; round += 1) {
    await send(id, { equity: '9.00' });
    await server.query(`update trading_accounts set taken_at = taken_at - interval '1 second' where terminal_id = $1`, [
      id,
    ]);
  }
  const rows = await server.query(
    `select equity_min::text as min, equity_max::text as max, equity::text from account_minutes where account_id =
         (select id from trading_accounts where terminal_id = $1)`,
    [id],
  );
  expect(rows).toEqual([{ min: '3.00', max: '5.00', equity: '4.00' }]);
});

it('the history of an account is kept as long as its steps say, and goes with its terminal', async () => {
  const id = await createTerminal();
  await send(id);
  const account = '(select id from trading_accounts where terminal_id = $1)';
  for (const [table, days] of [
    ['minutes', 1],
    ['quarters', 30],
    ['hours', 730],
    ['days', 730],
  ] as const) {
    await server.query(
      `insert into account_${table} select ${account}, now() + o, 1, 1, 1, 1, 1
         from unnest(array[interval '-${days} days', interval '-${days} days -2 hours', interval '3 days']) as o`,
      [id],
    );
  }
  await server.prune();
  const [row] = await server.query('select id from trading_accounts where terminal_id = $1', [id]);
  const counts = ['minutes', 'quarters', 'hours', 'days'].map(
    (table) => `(select count(*)::int from account_${table} where account_id = $1)`,
  );
  const all = [...counts, '(select count(*)::int from trading_accounts where id = $1)'].join(', ');
  const count = async () => (await server.query(`select array[${all}] as counts`, [row!.id]))[0]!.counts as number[];
  expect(await count()).toEqual([1, 1, 1, 1, 1]);
  await server.query(`update terminals set deleted_at = now() - interval '31 days' where id = $1`, [id]);
  await server.prune();
  expect(await count()).toEqual([0, 0, 0, 0, 0]);
  expect(await server.query('select from terminals where id = $1', [id])).toEqual([]);
});

it('the history of an account has the step that fits the time that is asked for', async () => {
  const id = await createTerminal();
  await send(id);
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const steps = [0, 1, 20, 100, 500].map(async (days) => (await readPoints(id, `?from=${ago(days)}`)).step_seconds);
  expect(await Promise.all(steps)).toEqual([60, 60, 900, 3600, 86400]);
  expect((await readPoints(id)).points).toHaveLength(1);
  expect((await read(`terminals/${id}/account/history?step=61`)).status).toBe(422);
  expect((await read(`terminals/${id}/account/history?from=2026-02-02&to=2026-02-01`)).status).toBe(422);
});

it('the overview of accounts has a line for each, the totals of each currency, and each account once', async () => {
  const { user, token } = await server.register('Manager');
  const ids = await Promise.all(['1', '2', '3', '3', '4'].map((login) => createTerminal(host.id, login)));
  await server.query('update terminals set user_id = $1 where id = any($2::uuid[])', [user.id, ids]);
  const [usd = '', eur = '', twice = '', again = '', silent = ''] = ids;
  const report = (terminal_id: string, login: string, changes: Partial<AccountState>) =>
    host.sendAccounts({ terminal_id, login, state: toAccountState(changes) });
  await report(usd, '1', { equity: '100.10', balance: '0.10', profit: '100.00', positions_total: 2 });
  await report(eur, '2', { equity: '5.00', balance: '5.00', currency: 'EUR' });
  await report(twice, '3', { equity: '0.20', balance: '0.20' });
  await report(again, '3', { equity: '0.20', balance: '0.20' });
  await goBack(usd, '1 second');
  await report(usd, '1', { sequence: 2, equity: '75.10', balance: '0.10', profit: '75.00', positions_total: 1 });
  const look = async (query = '') =>
    (await read<{ accounts: Record<string, unknown>[]; totals: unknown[] }>(`accounts/overview${query}`, token)).data;
  const { accounts, totals } = await look();
  expect(accounts.map(({ terminal_id }) => terminal_id)).toEqual([usd, eur, twice, again].sort());
  const line = {
    equity: '75.10',
    result_today: '-25.00',
    drawdown_today_percent: 24.98,
    positions: 1,
    is_current: true,
  };
  expect(accounts.find(({ terminal_id }) => terminal_id === usd)).toMatchObject({ ...line, rules: [] });
  const sums = {
    accounts: 2,
    not_current: 0,
    balance: '0.30',
    equity: '75.30',
    result_today: '-25.00',
    positions: 1,
  };
  expect(totals).toMatchObject([
    { currency: 'EUR', equity: '5.00' },
    { currency: 'USD', ...sums },
  ]);
  const some = await look(`?ids=${eur},${silent}`);
  expect([some.accounts.length, some.totals]).toMatchObject([1, [{ currency: 'EUR', accounts: 1 }]]);
  expect(await look(`?project_id=${randomUUID()}`)).toEqual({ accounts: [], totals: [] });
  for (const query of ['?ids=', '?ids=x', `?ids=${Array(101).fill(usd).join()}`, '?project_id=', '?after=x'])
    expect((await read(`accounts/overview${query}`, token)).status).toBe(422);
  const [first] = (await look('?per_page=1&after=start')).accounts;
  const { accounts: rest } = await look(`?per_page=100&after=${String(first!.terminal_id)}`);
  expect([first, ...rest]).toMatchObject(accounts.map(({ terminal_id }) => ({ terminal_id })));
});

it('the overview of accounts counts from midnight UTC on, from what the account had then', async () => {
  const id = await createTerminal();
  await send(id, { equity: '200.00' });
  await goBack(id, '1 day');
  const look = async () => {
    const { data } = await read<{ accounts: Record<string, unknown>[] }>(`accounts/overview?ids=${id}`);
    return [data.accounts[0]!.result_today, data.accounts[0]!.drawdown_today_percent];
  };
  expect(await look()).toEqual(['0.00', 0]);
  await send(id, { equity: '150.00' });
  expect(await look()).toEqual(['-50.00', 25]);
});

it('a reader gets new numbers at most once per second and terminal, and nobody else does', async () => {
  const readers = await Promise.all([owner.token, stranger.token].map((token) => EventReader.open(server.url, token)));
  const [reader, other] = readers as [EventReader, EventReader];
  try {
    await waitFor(() => readers.every(({ events }) => events[0]?.event === 'ready'), { what: 'ready' });
    const id = await createTerminal();
    const ofAccount = () => reader.dataOf('account.updated').filter((data) => data.id === id);
    await send(id, { equity: '0.00' });
    for (const equity of ['1.00', '2.00', '3.00']) {
      await goBack(id, '1 second');
      await send(id, { equity });
    }
    await waitFor(() => ofAccount().some(({ equity }) => equity === '3.00'), { what: 'the last state' });
    // Those that came within the same second are one.
    expect(ofAccount().length).toBeLessThan(3);
    expect(ofAccount().at(-1)).toMatchObject({ currency: 'USD', positions_total: 0, margin_level: null });
    expect(other.dataOf('account.updated')).toEqual([]);
  } finally {
    for (const each of readers) each.close();
  }
});
