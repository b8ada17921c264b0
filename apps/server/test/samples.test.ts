/** What terminals take: who may say it, how it is kept, how it ages, and what one owner or host costs the others. */
import { randomUUID } from 'node:crypto';
import { sampleColumns, type Sample } from '@berth/contract';
import {
  insertTerminals as insertRows,
  TestHost,
  toSample,
  waitFor,
  withClient,
  useTestServer,
  type TestServer,
} from '@berth/testing';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { listStatements } from '../src/db/statement.ts';

const server = useTestServer();
let owner: { id: string; token: string };
beforeAll(async () => {
  const { user, token } = await server.register('Owner');
  owner = { id: user.id, token };
});
beforeEach(() => query('truncate terminals, terminal_minutes, terminal_quarters, hosts cascade'));

const query: TestServer['query'] = (text, values) => server.query(text, values);

/** Terminals of the owner on the host. */
const insertTerminals = (hostId: string | null, count = 1): Promise<string[]> =>
  insertRows(server, owner.id, { hostId, count });

const createScene = async () => {
  const host = await TestHost.enrol(server);
  const [terminalId = ''] = await insertTerminals(host.id);
  return { host, terminalId };
};

/** As if the last samples of all terminals had come earlier. */
const goBack = (seconds: number): Promise<unknown> =>
  query(
    `update terminal_loads set sampled_at = sampled_at - $1 * interval '1 second',
       minute_at = date_bin('1 minute', sampled_at - $1 * interval '1 second', timestamptz 'epoch')`,
    [seconds],
  );

const read = async (terminalId: string, search = '', token = owner.token) =>
  (await server.request('GET', `/v1/my/trading/terminals/${terminalId}/samples${search}`, { token })).body.data;

/** Resolves when the database's minute has a while to go. */
const waitForRoom = () =>
  waitFor(async () => (await query('select extract(second from now()) < 40 as has_room'))[0]!.has_room, {
    what: 'a minute that has a while to go',
    timeoutMs: 60_000,
  });

/** Samples of one minute, the one that is being filled. */
const fillMinute = async (host: TestHost, samples: readonly Sample[]): Promise<void> => {
  await waitForRoom();
  for (const [number, sample] of samples.entries()) {
    // All of them in the minute of the first, however long this takes.
    await query(
      `update terminal_loads set sampled_at = now() - interval '15 seconds', minute_at = date_bin('1 minute', now(), timestamptz 'epoch')`,
    );
    expect([number, await host.sendSamples(sample)]).toEqual([number, 1]);
  }
};

it('samples of a minute are one row once it is over: the most memory, the processor on average, the link in percent', async () => {
  const { host, terminalId } = await createScene();
  await fillMinute(host, [
    toSample(terminalId, { memory_mb: 90, cpu_percent: 1, link: 'down', ping_ms: null }),
    toSample(terminalId, { memory_mb: 120, cpu_percent: 3 }),
    toSample(terminalId, { memory_mb: 110, cpu_percent: null }),
    toSample(terminalId, { memory_mb: null, cpu_percent: 2, ping_ms: 31.4 }),
  ]);
  expect((await read(terminalId)).rows).toEqual([]);
  await goBack(60);
  const { step, columns, rows } = await read(terminalId);
  expect([step, columns]).toEqual([1, [...sampleColumns]]);
  const [[at, ...values]] = rows as [number[]];
  expect(values).toEqual([31, 75, 120, 2, 40]);
  expect([at! % 60, Math.abs(Date.now() / 1000 - at!) < 200]).toEqual([0, true]);
  // The next one puts it into the row of its hour, where it reads the same.
  await host.sendSamples(toSample(terminalId));
  expect((await read(terminalId)).rows).toEqual(rows);
  expect(await query('select count(*)::int as total from terminal_minutes')).toEqual([{ total: 1 }]);
});

it('samples are taken of terminals on the host that sends them, and of no others', async () => {
  const { host, terminalId } = await createScene();
  const other = await TestHost.enrol(server, { region: 1 });
  const [othersId = ''] = await insertTerminals(other.id);
  const [waitingId = ''] = await insertTerminals(null);
  const [destroyedId = ''] = await insertTerminals(host.id);
  await query('update terminals set deleted_at = now() where id = $1', [destroyedId]);
  const strangers = [othersId, waitingId, destroyedId, randomUUID()];
  expect(await host.sendSamples(...strangers.map((id) => toSample(id)))).toBe(0);
  expect(await query('select * from terminal_loads')).toEqual([]);
  expect(await host.sendSamples(...[...strangers, terminalId].map((id) => toSample(id)))).toBe(1);
  expect(await query('select terminal_id from terminal_loads')).toEqual([{ terminal_id: terminalId }]);
});

it('samples of years in which nothing was measured are none', async () => {
  const { terminalId } = await createScene();
  for (const query of [
    'to=0001-01-01T12:00:00%2B02:00&step=15',
    'from=0001-01-01T00:00:00Z',
    'to=1970-01-01T00:00:00Z',
  ]) {
    const path = `/v1/my/trading/terminals/${terminalId}/samples?${query}`;
    const { status, body } = await server.request('GET', path, { token: owner.token });
    expect([status, (body as { data: { rows: unknown[] } }).data.rows]).toEqual([200, []]);
  }
});

it('samples that come too soon after the one before are passed over, also where two are of one terminal', async () => {
  const { host, terminalId } = await createScene();
  const both = [toSample(terminalId, { memory_mb: 1 }), toSample(terminalId.toUpperCase(), { memory_mb: 2 })];
  expect(await host.sendSamples(...both)).toBe(1);
  expect(await host.sendSamples(toSample(terminalId, { memory_mb: 3 }))).toBe(0);
  expect(await query('select memory_mb, watched from terminal_loads')).toEqual([{ memory_mb: 2, watched: 1 }]);
});

it('samples of a host that sends without end cost nobody a statement', async () => {
  const { host, terminalId } = await createScene();
  await query('create table statements_seen (n int)');
  await query(`create function count_statement() returns trigger language plpgsql as $$
      begin insert into statements_seen values (1); return null; end $$`);
  await query(
    `create trigger counting after insert on terminal_loads for each statement execute function count_statement()`,
  );
  for (let batch = 0; batch < 4; batch += 1) {
    const answers = Array.from({ length: 10 }, () => host.sendSamples(toSample(terminalId)));
    expect((await Promise.all(answers)).reduce((sum, taken) => sum + taken)).toBe(batch === 0 ? 1 : 0);
  }
  for (let number = 0; number < 20; number += 1) await host.sendSamples(toSample(terminalId));
  const [seen] = await query('select count(*)::int as total from statements_seen');
  // The trigger first: a sample that is still being written waits for the table that it counts in.
  await query('drop function count_statement cascade');
  await query('drop table statements_seen');
  expect(seen!.total).toBeLessThanOrEqual(10);
});

it('samples that are no numbers, or beyond all reason, are refused; none of their batch is kept', async () => {
  const { host, terminalId } = await createScene();
  const good = toSample(terminalId);
  const bad: object[] = [
    { ...good, memory_mb: -1 },
    { ...good, memory_mb: 1e300 },
    { ...good, ping_ms: '20' },
    { ...good, cpu_percent: true },
    { ...good, link: 'sideways' },
    { ...good, disk_mb: undefined },
    { ...good, terminal_id: 'x' },
  ];
  for (const sample of bad) {
    const { status } = await host.call('samples', { samples: [toSample(randomUUID()), sample] });
    expect([sample, status]).toEqual([sample, 422]);
  }
  for (const number of ['NaN', 'Infinity', '1e999', '-1e999']) {
    const text = JSON.stringify({ session_id: host.sessionId, samples: [good] }).replace(
      '"memory_mb":100',
      `"memory_mb":${number}`,
    );
    const headers = { 'content-type': 'application/json' };
    const answer = await server.request('POST', '/v1/agent/samples', {
      token: host.credential,
      body: Buffer.from(text),
      headers,
    });
    expect([number, answer.status >= 400 && answer.status < 500]).toEqual([number, true]);
  }
  expect((await host.call('samples', { samples: [] })).status).toBe(422);
  const many = Array.from({ length: 2_001 }, () => toSample(randomUUID()));
  expect((await host.call('samples', { samples: many })).status).toBe(422);
  expect(await query('select * from terminal_loads')).toEqual([]);
});

it('samples of the largest numbers are kept', async () => {
  const { host, terminalId } = await createScene();
  const most = { ping_ms: 3_600_000, memory_mb: 67_108_864, cpu_percent: 1_000_000, disk_mb: 1_000_000_000 };
  await fillMinute(host, [toSample(terminalId, most), toSample(terminalId, most)]);
  await goBack(60);
  await host.sendSamples(toSample(terminalId));
  expect((await read(terminalId)).rows[0].slice(1)).toEqual([32_767, 100, 67_108_864, 1_000_000, 1_000_000_000]);
});

it('samples of 2,000 terminals come in one batch', async () => {
  const host = await TestHost.enrol(server);
  const ids = await insertTerminals(host.id, 2_000);
  for (let minutes = 0; minutes < 3; minutes += 1) {
    expect(await host.sendSamples(...ids.map((id) => toSample(id)))).toBe(2_000);
    await goBack(60);
  }
  expect(await query('select count(*)::int as total from terminal_minutes')).toEqual([{ total: 2_000 }]);
});

it('samples go on after the database’s clock was set back, and those of the time to come are not shown', async () => {
  const { host, terminalId } = await createScene();
  await fillMinute(host, [toSample(terminalId)]);
  await goBack(-86_400 * 400);
  expect((await read(terminalId)).rows).toEqual([]);
  expect(await host.sendSamples(toSample(terminalId, { memory_mb: 7 }))).toBe(1);
  await goBack(60);
  expect((await read(terminalId)).rows.map((row: number[]) => row[3])).toEqual([7]);
  expect((await read(terminalId)).uptime).toEqual({ day: null, week: null, month: null });
  await server.prune();
  expect(await query('select * from terminal_minutes')).toEqual([]);
});

/**
 * Plants minutes of the terminal, whole hours of them: those of which the condition (of `at`, in SQL) holds. They are up, but for
 * `link`.
 */
const plantMinutes = (
  terminalId: string,
  {
    since,
    until = `now() + interval '1 hour'`,
    condition = 'true',
    link = '100',
  }: {
    since: string;
    until?: string;
    condition?: string;
    link?: string;
  },
) =>
  query(
    `insert into terminal_minutes (terminal_id, hour_at, link, ping_ms, memory_mb, cpu_permille, disk_mb)
     select $1, hour_at, array_agg(case when ${condition} then ${link} end order by at),
       array_agg(20 + extract(minute from at)::int % 7 order by at), array_agg(100 + extract(hour from at)::int order by at),
       array_agg(extract(minute from at)::int order by at), array_agg(50 order by at)
     from generate_series(date_bin('1 hour', ${since}, 'epoch'), date_bin('1 hour', ${until}, 'epoch') - interval '1 minute', '1 minute') as at
     cross join lateral (select date_bin('1 hour', at, timestamptz 'epoch') as hour_at) h
     group by hour_at`,
    [terminalId],
  );

it('minutes that grow old become quarters of an hour after a day, and read the same before and after, over days and nights', async () => {
  const [terminalId = ''] = await insertTerminals(null);
  await plantMinutes(terminalId, {
    since: `now() - interval '75 hours'`,
    until: 'now()',
    condition: `at < now() - interval '50 hours' or at > now() - interval '44 hours'`,
    link: `case when extract(minute from at) < 3 then -1 when extract(minute from at) < 20 then 40 else 100 end`,
  });
  const before = await read(terminalId, '?step=15');
  expect(before.rows.length).toBeGreaterThan(67 * 4);
  await server.prune();
  const [kept] = await query(
    `select min(hour_at) > now() - interval '26 hours' as is_young, count(*)::int as total from terminal_minutes`,
  );
  expect(kept).toEqual({
    is_young: true,
    total: expect.toSatisfy((total: number) => total === 24 || total === 25) as number,
  });
  const after = await read(terminalId, '?step=15');
  expect(after.rows).toEqual(before.rows);
  for (const span of ['day', 'week', 'month']) {
    // Percents of a quarter are whole ones.
    expect([span, Math.abs(after.uptime[span] - before.uptime[span]) < 0.5]).toEqual([span, true]);
  }
  expect((await query('select count(*)::int as total from terminal_quarters'))[0]!.total).toBeLessThanOrEqual(4);
});

it('minutes that grow old are the same quarters in whatever time zone a person runs the statement', async () => {
  const [here = '', there = ''] = await insertTerminals(null, 2);
  for (const id of [here, there])
    await plantMinutes(id, { since: `now() - interval '60 hours'`, until: `now() - interval '30 hours'` });
  const age = listStatements().find(({ name }) => name === 'age_samples')!.text;
  const url = new URL(server.databaseUrl);
  url.searchParams.set('options', '-c timezone=America/St_Johns');
  const move = (years: number) =>
    query(`update terminal_minutes set hour_at = hour_at + $2 * interval '1 year' where terminal_id = $1`, [
      here,
      years,
    ]);
  await move(20);
  await withClient(url.href, (client) => client.query(age, [1_000]));
  await move(-20);
  await server.prune();
  const rows =
    'select day_at, link, minutes, ping_ms, memory_mb from terminal_quarters where terminal_id = $1 order by day_at';
  expect(await query(rows, [there])).toEqual(await query(rows, [here]));
});

it('minutes that grow old are deleted after 30 days, also those that nobody aged while no server ran for months', async () => {
  const [terminalId = ''] = await insertTerminals(null);
  await plantMinutes(terminalId, { since: `now() - interval '100 days'`, until: `now() - interval '99 days'` });
  await plantMinutes(terminalId, { since: `now() - interval '10 days'`, until: `now() - interval '9 days'` });
  await server.prune();
  await server.prune();
  expect(await query('select * from terminal_minutes')).toEqual([]);
  const days = await query(`select day_at > now() - interval '12 days' as is_young from terminal_quarters`);
  expect(days.length).toBeGreaterThanOrEqual(1);
  expect(days.every(({ is_young }) => is_young)).toBe(true);
  const { rows } = await read(terminalId, `?step=15`);
  expect(rows).toHaveLength(96);
});

it('the uptime counts what nobody measured as down, and what was stopped on purpose not at all', async () => {
  const [terminalId = ''] = await insertTerminals(null);
  // 60 hours: 10 of them without a sample, 10 stopped, 40 up.
  const since = `date_bin('1 hour', now() - interval '60 hours', timestamptz 'epoch')`;
  const at = (hours: number) => `at >= ${since} + interval '${hours} hours'`;
  await plantMinutes(terminalId, {
    since: `now() - interval '60 hours'`,
    until: `now() + interval '1 hour'`,
    condition: `at < now() and not (${at(10)} and not ${at(20)})`,
    link: `case when ${at(20)} and not ${at(30)} then -1 else 100 end`,
  });
  const { day, week, month } = (await read(terminalId)).uptime;
  expect(day).toBe(100);
  expect(week).toBeCloseTo(80, 0);
  expect(month).toBe(week);
  await server.prune();
  const aged = (await read(terminalId)).uptime;
  expect([aged.day, Math.abs(aged.week - week) < 0.3]).toEqual([100, true]);
});

it('the uptime is unknown without a sample, and begins with the first', async () => {
  const { host, terminalId } = await createScene();
  expect((await read(terminalId)).uptime).toEqual({ day: null, week: null, month: null });
  await fillMinute(host, [toSample(terminalId, { link: 'down' })]);
  await goBack(30 * 60);
  await host.sendSamples(toSample(terminalId));
  // Half an hour in which nobody looked.
  expect((await read(terminalId)).uptime).toEqual({ day: 0, week: 0, month: 0 });
});

it('the time that is asked for is a day by the minute, or a month by the quarter of an hour', async () => {
  const [terminalId = ''] = await insertTerminals(null);
  await plantMinutes(terminalId, { since: `now() - interval '30 hours'`, until: `now()` });
  await server.prune();
  const toIso = (hoursAgo: number) => new Date(Date.now() - hoursAgo * 3_600_000).toISOString();
  const look = async (search: string) => {
    const { step, rows } = await read(terminalId, search);
    return [step, (rows as number[][]).length] as const;
  };
  const isAbout = (count: number, expected: number) => Math.abs(count - expected) <= 61;
  const [step, count] = await look('');
  expect([step, isAbout(count, 1_440)]).toEqual([1, true]);
  expect((await look(`?from=${toIso(3)}&to=${toIso(2)}`))[0]).toBe(1);
  expect((await look(`?from=${toIso(40)}`))[0]).toBe(15);
  const [, quarters] = await look('?step=15');
  expect([quarters > 110, quarters <= 121]).toEqual([true, true]);
  expect((await look(`?from=2000-01-01&to=2000-01-02&step=15`))[1]).toBe(0);
  expect((await look(`?from=2999-01-01`))[1]).toBe(0);
});

it('the time that is asked for is refused where it is none', async () => {
  const [terminalId = ''] = await insertTerminals(null);
  const look = async (search: string) => {
    const path = `/v1/my/trading/terminals/${terminalId}/samples?${search}`;
    const { status, body } = await server.request('GET', path, { token: owner.token });
    return [status, Object.keys((body as { errors?: object }).errors ?? {})];
  };
  expect(await look('from=yesterday')).toEqual([422, ['from']]);
  expect(await look('from=2026-02-02&to=2026-02-01')).toEqual([422, ['to']]);
  expect(await look('step=5')).toEqual([422, ['step']]);
  expect(await look('step=x')).toEqual([422, ['step']]);
});
