/** Deals: no gap and no double, whatever hosts repeat; their events, what is bounded, and how users read them. */
import { randomUUID } from 'node:crypto';
import { DEALS_BURST, type Deal, type ReportedAccount, type ReportedDeal } from '@berth/contract';
import { EventReader, insertTerminals, TestHost, toAccountState, toDeal, useTwoServers, waitFor } from '@berth/testing';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';

const [server, second] = useTwoServers();
let host: TestHost;
let owner: { id: string; token: string };
beforeAll(async () => {
  host = await TestHost.enrol(server, { capacity: 10_000 });
  const { user, token } = await server.register('Owner');
  owner = { id: user.id, token };
});

const createTerminal = async (userId = owner.id): Promise<string> =>
  (await insertTerminals(server, userId, { hostId: host.id, login: '5001', serverName: 'Harbour-Demo' }))[0]!;

const until = '2026-01-31T09:00:00.000Z';
const toDeals = (
  after: string | null,
  deals: ReportedDeal[],
  changes: Partial<NonNullable<ReportedAccount['deals']>> = {},
): NonNullable<ReportedAccount['deals']> => ({ after, deals, is_complete: true, complete_until: until, ...changes });
const send = (terminal_id: string, ...deals: Parameters<typeof toDeals>) =>
  host.sendAccounts({ terminal_id, deals: toDeals(...deals) });
const toOld = (ticket: number | string, changes: Partial<Deal> = {}): Deal =>
  toDeal(ticket, { at: '2026-01-31T08:15:30.123Z', ...changes });

interface Page {
  data: (Deal & { terminal_id?: string })[];
  complete_until: string | null;
  pagination: { next_cursor: string | null };
}
const read = async (path: string, token = owner.token) => {
  const { status, body } = await server.request('GET', `/v1/my/${path}`, { token });
  return { status, ...(body as Page) };
};
const readDeals = (id: string, query = '') => read(`trading/terminals/${id}/deals?per_page=100${query}`);
const readTickets = async (id: string) => (await readDeals(id)).data.map(({ ticket }) => Number(ticket));
const readEvents = async (id: string) => {
  const { body } = await server.request('GET', `/v1/my/events/log?per_page=100&types=account.deal&terminal_id=${id}`, {
    token: owner.token,
  });
  return (body as { data: { data: Record<string, unknown> }[] }).data.map(({ data }) => data);
};

it('the deals of a terminal are what its host reported, to the last digit, and are complete until it said so', async () => {
  const id = await createTerminal();
  expect(await readDeals(id)).toMatchObject({ status: 200, data: [], complete_until: null });
  const deals = [
    toOld(1, { side: 'balance', symbol: '', entry: 'in', profit: '10000.00', type: 'balance', out_by: null }),
    toOld(2, { side: 'other', symbol: '', type: 'dividend', out_by: null }),
    toOld(3, { fee: '-0.12345678', out_by: 'stop_out' }),
    toOld('999999999999999999'),
  ];
  const answer = await send(id, null, deals);
  const cursor = { terminal_id: id, last_ticket: '999999999999999999', complete_until: '2026-01-31T09:00:00.000Z' };
  expect(answer).toMatchObject({ refused: [], cursors: [cursor] });
  const { data, complete_until } = await readDeals(id);
  expect(data).toEqual(deals.map((deal) => ({ ...deal, at: '2026-01-31T08:15:30.123000Z' })));
  expect(complete_until).toBe('2026-01-31T09:00:00.000000Z');
  const asked = await host.sendAccounts({ terminal_id: id }, { terminal_id: await createTerminal() });
  expect(asked.cursors.map(({ last_ticket }) => last_ticket)).toEqual(['999999999999999999', null]);
});

it('a deal of an older link program is what its side says, has its fee in the commission, and says nothing of what closed it; so does one of before', async () => {
  const id = await createTerminal();
  await host.sendAccounts({ terminal_id: id, state: toAccountState() });
  const sides = ['buy', 'sell', 'balance', 'credit', 'other'] as const;
  const old = sides.map((side, index) => {
    const { type: _type, fee: _fee, out_by: _outBy, ...deal } = toDeal(index + 1, { side });
    return deal;
  });
  await send(id, null, old);
  const expected = ['trade', 'trade', 'balance', 'credit', 'other'].map((type) => ({ type, fee: '0', out_by: null }));
  expect((await readDeals(id)).data).toMatchObject(expected);
  expect(await readEvents(id)).toMatchObject(expected);
  await server.query('update deals set type = null', []);
  expect((await readDeals(id)).data).toMatchObject(expected);
});

it('the deals of a terminal never have a gap: what does not follow what is there is refused, and the cursor says where to begin', async () => {
  const id = await createTerminal();
  await send(id, null, [toOld(5)]);
  const { refused, cursors } = await send(id, '7', [toOld(8)]);
  expect(refused).toEqual([{ terminal_id: id, reason: 'gap_in_deals' }]);
  expect(cursors[0]!.last_ticket).toBe('5');
  expect(await readTickets(id)).toEqual([5]);
  await send(id, '5', [toOld(6)], { is_complete: false });
  expect((await readDeals(id)).complete_until).toBe('2026-01-31T09:00:00.000000Z');
  await send(id, '6', [toOld(8)], { complete_until: '2999-01-01T00:00:00Z' });
  // Nobody knows what is to come.
  expect(Date.parse((await readDeals(id)).complete_until!)).toBeLessThanOrEqual(Date.now() + 1_000);
});

it('the deals of a terminal are asked for whenever the terminal knows one that the server does not have', async () => {
  const id = await createTerminal();
  let sequence = 0;
  const sendState = async (last_deal: string | null) => {
    await server.query(`update trading_accounts set taken_at = taken_at - interval '1 minute' where terminal_id = $1`, [
      id,
    ]);
    sequence += 1;
    return host.sendAccounts({ terminal_id: id, state: toAccountState({ sequence, last_deal }) });
  };
  expect((await sendState(null)).cursors).toEqual([]);
  expect((await sendState('3')).cursors).toEqual([{ terminal_id: id, last_ticket: null, complete_until: null }]);
  await send(id, null, [toOld(3)]);
  expect((await sendState('3')).cursors).toEqual([]);
  // It made no other one until it was seen.
  const seen = Date.parse((await readDeals(id)).complete_until!);
  expect(seen).toBeGreaterThan(Date.now() - 60_000);
  expect((await sendState('4')).cursors).toMatchObject([{ last_ticket: '3' }]);
  expect((await readDeals(id)).complete_until).toBe('2026-01-31T09:00:00.000000Z');
});

it('the deals of a terminal are each there once, however they are repeated, out of order, and by two servers at once', async () => {
  const hosts = [host, new TestHost(second, { id: host.id, credential: host.credential })];
  hosts[1]!.sessionId = host.sessionId;
  const report = fc.record({
    from: fc.nat(30),
    count: fc.integer({ min: 0, max: 12 }),
    isReversed: fc.boolean(),
  });
  const reports = fc.array(report, { minLength: 3, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(reports, reports, async (...ofServers) => {
      const id = await createTerminal();
      const sendAll = async (from: TestHost, list: (typeof ofServers)[number]) => {
        for (const { from: after, count, isReversed } of list) {
          const deals = Array.from({ length: count }, (_, n) => toOld(after + n + 1));
          const ordered = isReversed ? deals.reverse() : deals;
          await from.sendAccounts({ terminal_id: id, deals: toDeals(after === 0 ? null : String(after), ordered) });
        }
      };
      await Promise.all(ofServers.map((list, index) => sendAll(hosts[index]!, list)));
      const tickets = await readTickets(id);
      // From the first one on without a gap.
      expect(tickets).toEqual(tickets.map((_, index) => index + 1));
      const [cursor] = (await host.sendAccounts({ terminal_id: id })).cursors;
      expect(cursor!.last_ticket).toBe(tickets.length === 0 ? null : String(tickets.length));
    }),
    { numRuns: 8 },
  );
});

it('the deals of a terminal are those of the account that the terminal is logged in to, as its host says', async () => {
  const id = await createTerminal();
  const refused = [{ terminal_id: id, reason: 'other_account' }];
  expect(await host.sendAccounts({ terminal_id: id, login: '5002', deals: toDeals(null, [toOld(1)]) })).toMatchObject({
    refused,
  });
  const stranger = await TestHost.enrol(server, { region: 1 });
  expect(await stranger.sendAccounts({ terminal_id: id, deals: toDeals(null, [toOld(1)]) })).toMatchObject({
    refused,
  });
  expect(await readTickets(id)).toEqual([]);
  await send(id, null, [toOld(1)]);
  await server.query(`update terminals set login = '5002' where id = $1`, [id]);
  expect(await readTickets(id)).toEqual([]);
  await host.sendAccounts({ terminal_id: id, login: '5002', deals: toDeals(null, [toOld(1), toOld(2)]) });
  expect(await readTickets(id)).toEqual([1, 2]);
});

it('the deals of a terminal are listed by their tickets, from where the reader is, and within a time', async () => {
  const id = await createTerminal();
  const at = (day: number) => `2026-01-0${day}T00:00:00Z`;
  await send(
    id,
    null,
    [1, 2, 3, 4].map((day) => toOld(day, { at: at(day) })),
  );
  const look = async (query: string) => (await readDeals(id, query)).data.map(({ ticket }) => Number(ticket));
  expect(await look('&after=2')).toEqual([3, 4]);
  expect(await look(`&after=start&from=${at(2)}&to=${at(4)}`)).toEqual([2, 3]);
  const first = await read(`trading/terminals/${id}/deals?per_page=3`);
  expect(first.pagination.next_cursor).toBe('3');
  for (const query of ['&after=', '&after=x', '&from=x', `&from=${at(2)}&to=${at(1)}`])
    expect((await readDeals(id, query)).status).toBe(422);
  expect((await read(`trading/terminals/${randomUUID()}/deals?after=x`)).status).toBe(404);
});

it('the deals of all terminals are listed by their times, page by page, with those of no other user', async () => {
  const { user, token } = await server.register('Trader');
  const [one, two] = [await createTerminal(user.id), await createTerminal(user.id)];
  const at = (minute: number) => `2026-01-31T08:0${minute}:00Z`;
  const toTimed = (ticket: number) => toOld(ticket, { at: at(ticket % 7) });
  await send(one, null, [1, 3, 5, 7].map(toTimed));
  await send(two, null, [2, 4, 7].map(toTimed));
  await send(await createTerminal(), null, [toTimed(1)]);
  const seen: string[] = [];
  for (let after: string | null = 'start'; after !== null;) {
    const page = await read(`deals?per_page=2&after=${after}`, token);
    seen.push(...page.data.map(({ terminal_id, ticket }) => `${terminal_id === one ? 'one' : 'two'} ${ticket}`));
    expect(page.complete_until).toBe('2026-01-31T09:00:00.000000Z');
    after = page.pagination.next_cursor;
  }
  expect(seen).toEqual(['one 7', 'two 7', 'one 1', 'two 2', 'one 3', 'two 4', 'one 5']);
  expect((await read(`deals?from=${at(2)}&to=${at(4)}`, token)).data.map(({ ticket }) => ticket)).toEqual(['2', '3']);
  for (const query of ['?after=', '?after=7', '?from=x']) expect((await read(`deals${query}`, token)).status).toBe(422);
  // A terminal of which nothing is known yet may have made some.
  await host.sendAccounts({ terminal_id: await createTerminal(user.id), state: toAccountState({ last_deal: '5' }) });
  expect((await read('deals', token)).complete_until).toBe(null);
});

it('a deal is told: in the log, the stream, and once; those from before the account was known are not', async () => {
  const id = await createTerminal();
  await host.sendAccounts({ terminal_id: id, state: toAccountState() });
  const reader = await EventReader.open(server.url, owner.token);
  try {
    await waitFor(() => reader.events[0]?.event === 'ready', { what: 'ready' });
    const deal = toDeal(3, { comment: 'trend' });
    for (let round = 0; round < 2; round += 1) await send(id, null, [toOld(1), toOld(2), deal]);
    const expected = { name: 'T001', login: '5001', currency: 'USD', ...deal };
    const told = () => reader.dataOf('happened').filter((data) => data.terminal_id === id);
    await waitFor(() => told().length > 0, { what: 'the event' });
    expect(told()).toMatchObject([{ type: 'account.deal', data: expected }]);
    expect(await readEvents(id)).toEqual([expected]);
  } finally {
    reader.close();
  }
});

it('a deal is told no more often than its account is allowed to, and kept nevertheless', async () => {
  const id = await createTerminal();
  await send(id, null, []);
  const setLeft = (left: number) =>
    server.query(
      `update deal_cursors set events_left = $2, counted_at = now() where account_id = (select id from trading_accounts where terminal_id = $1)`,
      [id, left],
    );
  await setLeft(2);
  await send(
    id,
    null,
    [1, 2, 3, 4, 5].map((ticket) => toDeal(ticket)),
  );
  expect((await readEvents(id)).map(({ ticket }) => ticket)).toEqual(['1', '2']);
  await setLeft(1);
  await send(id, '5', [toDeal(6)]);
  expect((await readEvents(id)).at(-1)).toMatchObject({ ticket: '6', skipped: 3 });
  expect(await readTickets(id)).toEqual([1, 2, 3, 4, 5, 6]);
});

it('a deal waits at its host where the account made too many, and leaves no gap', async () => {
  const id = await createTerminal();
  await send(id, null, []);
  const account = 'account_id = (select id from trading_accounts where terminal_id = $1)';
  await server.query(`update deal_cursors set deals_left = 2, counted_at = now() where ${account}`, [id]);
  const answer = await send(id, null, [toOld(1), toOld(2), toOld(3)]);
  expect(answer.refused).toEqual([{ terminal_id: id, reason: 'too_many_deals' }]);
  expect(answer.cursors[0]!.last_ticket).toBe('2');
  expect(await readTickets(id)).toEqual([1, 2]);
  await server.query(`update deal_cursors set counted_at = now() - interval '30 days' where ${account}`, [id]);
  expect((await send(id, '2', [toOld(3)])).refused).toEqual([]);
  const [row] = await server.query(`select deals_left, kept from deal_cursors where ${account}`, [id]);
  expect(row).toEqual({ deals_left: DEALS_BURST - 1, kept: 3 });
});

it.each([
  ['an amount that is none', { profit: '1e308' }],
  ['a ticket of twenty digits', { ticket: '18446744073709551615' }],
  ['a side that there is not', { side: 'long' }],
  ['a kind that there is not', { type: 'gift' }],
  ['a fee that is none', { fee: 'much' }],
  ['a cause that there is not', { out_by: 'sorcery' }],
  ['a time that is none', { at: 'yesterday' }],
  ['a comment of two lines', { comment: 'a\nb' }],
])('a deal is refused with %s', async (_, changes) => {
  const id = await createTerminal();
  const deals = toDeals(null, [{ ...toOld(1), ...changes } as Deal]);
  const terminals = [{ terminal_id: id, login: '5001', server: 'Harbour-Demo', deals }];
  expect((await host.call('accounts', { terminals })).status).toBe(422);
  expect(await readTickets(id)).toEqual([]);
});
