/** The charts of a terminal: whose reports count, their limits, what the owner reads, and who is notified. */
import { randomUUID } from 'node:crypto';
import { MAX_CHARTS_BYTES, MAX_TERMINALS_REPORTED, type TerminalChart } from '@berth/contract';
import { insertTerminals, EventReader, TestHost, toChart, waitFor, useTestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';

const server = useTestServer();
let host: TestHost;
let owner: { id: string; token: string };
beforeAll(async () => {
  host = await TestHost.enrol(server, { capacity: 10_000 });
  const { user, token } = await server.register('Owner');
  owner = { id: user.id, token };
});

const createTerminal = async (hostId: string | null = host.id): Promise<string> =>
  (await insertTerminals(server, owner.id, { hostId }))[0]!;

const read = async (terminalId: string) => {
  const path = `/v1/my/trading/terminals/${terminalId}/charts`;
  const { status, body } = await server.request('GET', path, { token: owner.token });
  return { status, ...(body as { data: TerminalChart[]; seen_at: string | null; truncated: boolean }) };
};

/** As if the last word about the terminal were so old. */
const age = (terminalId: string, seconds = 10) =>
  server.query(
    `update terminal_charts set seen_at = seen_at - $2 * interval '1 second',
       changed_at = changed_at - $2 * interval '1 second' where terminal_id = $1`,
    [terminalId, seconds],
  );

const toExpert = (inputs: Record<string, string>): TerminalChart['expert'] => ({ ...toChart().expert!, inputs });

it('the charts of a terminal are none before its host has reported them', async () => {
  const [waiting, installed] = [await createTerminal(null), await createTerminal()];
  for (const id of [waiting, installed]) {
    expect(await read(id)).toMatchObject({ status: 200, ok: true, data: [], seen_at: null, truncated: false });
  }
});

it('the charts of a terminal are what the host said last, the inputs in its order', async () => {
  const id = await createTerminal();
  const inputs = { Zeta: '1', Alpha: '0.10', Comment: 'a=b <b>' };
  const charts = [toChart({ expert: toExpert(inputs) }), toChart({ chart_id: 'chart02', period: null, expert: null })];
  await host.sendCharts(id, ...charts);
  const { data, seen_at, truncated } = await read(id);
  expect([data, truncated]).toEqual([charts, false]);
  expect(Object.keys(data[0]!.expert!.inputs)).toEqual(Object.keys(inputs));
  expect(Math.abs(Date.parse(seen_at!) - Date.now())).toBeLessThan(60_000);
  await age(id);
  await host.sendCharts(id);
  expect(await read(id)).toMatchObject({ data: [], truncated: false });
});

it('the charts of a terminal that have not changed get a newer time, and are not rewritten', async () => {
  const id = await createTerminal();
  await host.sendCharts(id, toChart());
  await age(id);
  const look = () => server.query('select seen_at, changed_at from terminal_charts where terminal_id = $1', [id]);
  const [before] = await look();
  await host.sendCharts(id, toChart());
  const [after] = await look();
  expect(after!.changed_at).toEqual(before!.changed_at);
  expect(after!.seen_at).not.toEqual(before!.seen_at);
});

it('the charts of a terminal are the word of the host that the terminal is on, and of no other one', async () => {
  const other = await TestHost.enrol(server, { region: 1 });
  const id = await createTerminal();
  for (const terminalId of [id, randomUUID()]) expect(await other.sendCharts(terminalId, toChart())).toBe(false);
  expect((await read(id)).seen_at).toBe(null);
  await host.sendCharts(id, toChart());
  await server.query('update terminals set host_id = $2 where id = $1', [id, other.id]);
  expect(await read(id)).toMatchObject({ data: [], seen_at: null });
  // The new host need not wait because the old one spoke just now.
  expect(await other.sendCharts(id, toChart({ chart_id: 'moved' }))).toBe(false);
  expect((await read(id)).data[0]!.chart_id).toBe('moved');
});

it('the charts of a terminal are accepted once per second, and the host is asked to retry', async () => {
  const [id, another] = [await createTerminal(), await createTerminal()];
  await host.sendCharts(id, toChart());
  await server.query(`update terminal_charts set seen_at = now() + interval '0.5 seconds' where terminal_id = $1`, [
    id,
  ]);
  const reported = [id, another].map((terminal_id) => ({ terminal_id, charts: [], truncated: false }));
  expect((await host.call('charts', { terminals: reported })).body).toEqual({
    session_id: host.sessionId,
    too_soon: [id],
  });
  expect([(await read(id)).data, (await read(another)).seen_at !== null]).toEqual([[toChart()], true]);
  // A clock that was set back leaves a time that is to come.
  await server.query(`update terminal_charts set seen_at = now() + interval '1 hour' where terminal_id = $1`, [id]);
  expect(await host.sendCharts(id)).toBe(false);
});

it('the charts of a terminal are cut where a host says more than a terminal may take', async () => {
  const id = await createTerminal();
  const many = Object.fromEntries(Array.from({ length: 1_500 }, (_, number) => [`Input${number}`, '1']));
  const expert = toExpert({ ...many });
  await host.sendCharts(id, toChart({ expert }));
  const first = await read(id);
  expect([Object.keys(first.data[0]!.expert!.inputs).length, first.truncated]).toEqual([1_000, true]);
  await age(id);
  const long = toExpert(Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`Text${n}`, 'é'.repeat(1_000)])));
  await host.sendCharts(id, ...Array.from({ length: 20 }, () => toChart({ expert: long })));
  const second = await read(id);
  expect([second.data.length, second.truncated]).toEqual([5, true]);
  const [row] = await server.query(
    'select octet_length(charts::text) as bytes from terminal_charts where terminal_id = $1',
    [id],
  );
  expect(row!.bytes).toBeLessThanOrEqual(MAX_CHARTS_BYTES);
});

it('the charts of a terminal hold nothing that is no text of one line', async () => {
  const id = await createTerminal();
  const inputs = {
    'Two\nlines': 'a\u0000b\r\nc',
    Nested: { deep: 1 },
    Number: 5,
    Half: '\ud800',
    ['__proto__x']: '',
  };
  const expert = { ...toExpert({}), inputs } as unknown as TerminalChart['expert'];
  await host.sendCharts(id, toChart({ symbol: 'EUR\tUSD', expert }));
  const { data, truncated } = await read(id);
  expect(data[0]!.symbol).toBe('EUR USD');
  expect(data[0]!.expert!.inputs).toEqual({
    'Two lines': expect.stringMatching(/^a.?b c$/) as string,
    Half: '\ufffd',
    ['__proto__x']: '',
  });
  expect(truncated).toBe(true);
});

it.each([
  ['a state that there is not', { expert: { ...toChart().expert, state: 'fine' } }],
  ['a period that there is not', { period: 'M7' }],
  ['a digest that is none', { expert: { ...toChart().expert, sha256: 'x' } }],
  ['a symbol of ten thousand characters', { symbol: 'x'.repeat(10_000) }],
  ['a chart without its name', { chart_id: undefined }],
])('the charts of a terminal are refused as a whole with %s', async (_, changes) => {
  const id = await createTerminal();
  const terminals = [{ terminal_id: id, charts: [{ ...toChart(), ...changes }], truncated: false }];
  expect((await host.call('charts', { terminals })).status).toBe(422);
  expect((await read(id)).seen_at).toBe(null);
});

it('the charts of a terminal are limited by terminals per call, and per terminal', async () => {
  const reported = { terminal_id: randomUUID(), charts: [], truncated: false };
  const call = async (terminals: unknown[]) => (await host.call('charts', { terminals })).status;
  expect(await call(Array.from({ length: MAX_TERMINALS_REPORTED }, () => reported))).toBe(200);
  expect(await call(Array.from({ length: MAX_TERMINALS_REPORTED + 1 }, () => reported))).toBe(422);
  expect(await call([])).toBe(422);
  expect(await call([{ ...reported, charts: Array.from({ length: 101 }, () => toChart()) }])).toBe(422);
});

it('the charts of a terminal are not found once it is gone, and go with it', async () => {
  const id = await createTerminal();
  await host.sendCharts(id, toChart());
  await server.query('update terminals set deleted_at = now() where id = $1', [id]);
  expect((await read(id)).status).toBe(404);
  await server.query('delete from terminals where id = $1', [id]);
  expect(await server.query('select from terminal_charts where terminal_id = $1', [id])).toEqual([]);
});

it('live events announce changed charts, once for each change, to their owner alone', async () => {
  const { token } = await server.register('Stranger');
  const [reader, stranger] = [
    await EventReader.open(server.url, owner.token),
    await EventReader.open(server.url, token),
  ];
  try {
    await waitFor(() => [reader, stranger].every(({ events }) => events[0]?.event === 'ready'), { what: 'ready' });
    const id = await createTerminal();
    await host.sendCharts(id, toChart());
    await age(id);
    await host.sendCharts(id, toChart());
    await age(id);
    await host.sendCharts(id, toChart({ symbol: 'GBPUSD' }));
    const last = await createTerminal();
    await host.sendCharts(last);
    await waitFor(() => reader.dataOf('charts').some((data) => data.id === last), { what: 'the last change' });
    expect(reader.dataOf('charts')).toEqual([{ id }, { id }, { id: last }]);
    expect(stranger.events).toHaveLength(1);
  } finally {
    reader.close();
    stranger.close();
  }
});
