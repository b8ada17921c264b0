/** The log of events, read from its newest entry, and from or up to a time. */
import { TerminalStatus, type UserEvent } from '@berth/contract';
import { TestHost, useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';

const server = useTestServer();

interface Log {
  data: UserEvent[];
  pagination: { per_page: number; next_cursor: string | null };
}

const ask = (token: string, query: string) => server.request('GET', `/v1/my/events/log?${query}`, { token });

const read = async (token: string, query: string): Promise<Log> => {
  const { status, body } = await ask(token, query);
  expect(status).toBe(200);
  return body as Log;
};

/** All pages of a query, one after the other. */
const readAll = async (token: string, query: string): Promise<UserEvent[]> => {
  const events: UserEvent[] = [];
  for (let after: string | null = 'start'; after !== null;) {
    const { data, pagination }: Log = await read(token, `${query}&after=${after}`);
    events.push(...data);
    after = pagination.next_cursor;
  }
  return events;
};

/** Events of one user, of a type that nothing else here writes; `hours` ago. */
const insert = (userId: string, count: number, hours: number) =>
  server.query(
    `insert into events (user_id, type, data, occurred_at)
     select $1, 'security.token_created', '{"token_id": 1, "name": "n"}', now() - $3 * interval '1 hour'
     from generate_series(1, $2::int)`,
    [userId, count, hours],
  );

const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();

it('the log of events, newest first is what it is oldest first, in reverse, also page by page', async () => {
  const { user, token } = await server.register('Backwards');
  await insert(user.id, 7, 0);
  const forwards = await readAll(token, 'per_page=3');
  expect(forwards.length).toBeGreaterThanOrEqual(7);
  expect(await readAll(token, 'order=newest&per_page=3')).toEqual(forwards.toReversed());
  expect((await read(token, 'order=newest')).pagination.next_cursor).toBeNull();
  const [last] = (await read(token, 'order=newest&per_page=1')).data;
  expect(last).toEqual(forwards.at(-1));
  expect((await read(token, `order=newest&after=${forwards[0]!.id}`)).data).toEqual([]);
});

it('the log of events, newest first has the entries of one terminal alone, and goes on over ten thousand others', async () => {
  const { user, token } = await server.register('Crowded');
  const terminalId = await server.createTerminal(token);
  const host = await TestHost.enrol(server);
  await host.installAll();
  await insert(user.id, 10_001, 0);
  await host.report({ kind: 'terminal', terminal_id: terminalId, status: TerminalStatus.DISCONNECTED, reason: 'x' });
  const query = `order=newest&terminal_id=${terminalId}`;
  const first = await read(token, query);
  expect(first.data.map(({ type }) => type)).toContain('terminal.status_changed');
  expect(first.pagination.next_cursor).not.toBeNull();
  const all = await readAll(token, query);
  expect(all.length).toBeGreaterThan(first.data.length);
  expect(all).toEqual((await readAll(token, `terminal_id=${terminalId}`)).reverse());
});

it('the log of events, newest first of one user never holds what happened to another', async () => {
  const [mine, theirs] = [await server.register('Mine'), await server.register('Theirs')];
  await insert(theirs.user.id, 3, 0);
  const events = await readAll(mine.token, 'order=newest');
  expect(events.filter(({ type }) => type === 'security.token_created')).toEqual([]);
  expect(await readAll(mine.token, `order=newest&from=${hoursAgo(1)}`)).toEqual(events);
});

it('the log of events, newest first ends where its oldest entries were deleted', async () => {
  const { user, token } = await server.register('Forgotten');
  await insert(user.id, 2, 0);
  const [newest, older] = (await read(token, 'order=newest')).data;
  await server.query('update event_log set forgotten_to = $1', [older!.id]);
  const { data, pagination } = await read(token, `order=newest&after=${newest!.id}&types=security.token_created`);
  await server.query('update event_log set forgotten_to = 0');
  expect([data, pagination.next_cursor]).toEqual([[older], null]);
});

it.each(['oldest', 'newest'])(
  'the log of events between two times begins at the first and ends before the second, %s first',
  async (order) => {
    const { user, token } = await server.register('Between');
    for (const hours of [9, 7, 5, 3, 1]) await insert(user.id, 1, hours);
    const kinds = `order=${order}&types=security.token_created`;
    const all = await readAll(token, kinds);
    const toPlaces = (events: UserEvent[]) =>
      events.map(({ id }) => all.findIndex((event) => event.id === id)).sort((a, b) => a - b);
    const places = order === 'oldest' ? [0, 1, 2, 3, 4] : [4, 3, 2, 1, 0];
    const at = (...kept: number[]) => kept.map((one) => places[one]).sort();
    expect(toPlaces(await readAll(token, `${kinds}&from=${hoursAgo(6)}`))).toEqual(at(2, 3, 4));
    expect(toPlaces(await readAll(token, `${kinds}&to=${hoursAgo(6)}`))).toEqual(at(0, 1));
    const both = `${kinds}&from=${hoursAgo(8)}&to=${hoursAgo(2)}&per_page=1`;
    expect(toPlaces(await readAll(token, both))).toEqual(at(1, 2, 3));
    const [exact] = all;
    const from = encodeURIComponent(exact!.occurred_at);
    expect(toPlaces(await readAll(token, `${kinds}&from=${from}`))).toContain(0);
    expect(toPlaces(await readAll(token, `${kinds}&to=${from}`))).not.toContain(0);
    expect(await readAll(token, `${kinds}&from=${hoursAgo(0.5)}`)).toEqual([]);
  },
);

it('the log of events between two times is found at once, whatever happened before and after it', async () => {
  const { user, token } = await server.register('Long');
  await insert(user.id, 12_000, 40);
  await insert(user.id, 3, 20);
  await insert(user.id, 12_000, 1);
  const range = `from=${hoursAgo(30)}&to=${hoursAgo(10)}`;
  for (const order of ['oldest', 'newest']) {
    const { data, pagination } = await read(token, `order=${order}&${range}`);
    expect([data.length, pagination.next_cursor]).toEqual([3, null]);
  }
});

it('the log of events between two times has an entry that was written in another order than it happened', async () => {
  const { user, token } = await server.register('Overlapping');
  for (const hours of [5, 4.5, 5, 4.4]) await insert(user.id, 1, hours);
  const kinds = 'types=security.token_created';
  expect(await readAll(token, `${kinds}&from=${hoursAgo(4.7)}`)).toHaveLength(2);
  expect(await readAll(token, `${kinds}&to=${hoursAgo(4.7)}`)).toHaveLength(2);
});

it.each([
  ['order=sideways', 'order'],
  ['order=', 'order'],
  ['from=', 'from'],
  ['from=yesterday', 'from'],
  ['from=2026-02-01&to=2026-01-01', 'to'],
])('the log of events between two times: %s is refused', async (query, field) => {
  const { token } = await server.register('Refused');
  const { status, body } = await ask(token, query);
  expect([status, Object.keys((body as { errors: object }).errors)]).toEqual([422, [field]]);
});
