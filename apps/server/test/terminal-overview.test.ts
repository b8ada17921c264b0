/** What a list shows of many terminals at once: how many there are of each status, and the last day of those on a page. */
import { randomUUID } from 'node:crypto';
import { MAX_OVERVIEW_TERMINALS, TerminalStatus, toTerminalStatusName } from '@berth/contract';
import { useTestServer, type TestServer } from '@berth/testing';
import { beforeAll, beforeEach, expect, it } from 'vitest';

const server = useTestServer();
let owner: { id: string; token: string };
let stranger: { id: string; token: string };
beforeAll(async () => {
  const toAccount = ({ user, token }: Awaited<ReturnType<TestServer['register']>>) => ({ id: user.id, token });
  owner = toAccount(await server.register('Owner'));
  stranger = toAccount(await server.register('Stranger'));
});
beforeEach(() => server.query('truncate terminals, terminal_minutes cascade'));

const TERMINALS = '/v1/my/trading/terminals';

const insertTerminals = async (userId: string, status: TerminalStatus, count = 1): Promise<string[]> =>
  (
    await server.query(
      `insert into terminals (id, user_id, project_id, region_id, platform, name, server_name, login, status, trading_allowed)
       select gen_random_uuid(), id, default_project_id, 0, 'sandbox', 'n' || n, 's', '1', $2, true
       from users cross join generate_series(1, $3) n where id = $1 returning id`,
      [userId, status, count],
    )
  ).map(({ id }) => id as string);

const get = async (path: string, token = owner.token) => server.request('GET', `${TERMINALS}${path}`, { token });
const overview = async (ids: readonly string[], token?: string) =>
  (await get(`/overview?ids=${ids.join(',')}`, token)).body.data;

/** Minutes of one hour, a number of hours ago: slot n has the n-th value. */
const plantHour = (terminalId: string, hoursAgo: number, link: readonly (number | null)[]) =>
  server.query(
    `insert into terminal_minutes (terminal_id, hour_at, link, ping_ms, memory_mb, cpu_permille, disk_mb)
     select $1, date_bin('1 hour', now(), 'epoch') - $2 * interval '1 hour', $3::smallint[],
       array_fill(20::smallint, array[60]), array_fill(1, array[60]), array_fill(1, array[60]), array_fill(1, array[60])`,
    [terminalId, hoursAgo, link],
  );

const repeat = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);

it('counts of terminals are of each status that the owner has, and of the whole', async () => {
  await insertTerminals(owner.id, TerminalStatus.ACTIVE, 3);
  const [failed] = await insertTerminals(owner.id, TerminalStatus.LOGIN_FAILED);
  await insertTerminals(stranger.id, TerminalStatus.ACTIVE, 5);
  const [gone] = await insertTerminals(owner.id, TerminalStatus.ACTIVE);
  await server.query('update terminals set deleted_at = now() where id = $1', [gone]);
  const toRow = (status: TerminalStatus, total: number) => ({
    status,
    status_name: toTerminalStatusName(status),
    total,
    logged_out: 0,
  });
  expect((await get('/counts')).body.data).toEqual({
    total: 4,
    statuses: [toRow(TerminalStatus.ACTIVE, 3), toRow(TerminalStatus.LOGIN_FAILED, 1)],
  });
  await server.query(`update terminals set name = 'Grid' where id = $1`, [failed]);
  expect((await get('/counts?search=grid')).body.data.total).toBe(1);
  expect((await get('/counts?region=9')).body.data).toEqual({ total: 0, statuses: [] });
  expect((await get('/counts?project_id=x')).body.data.total).toBe(0);
});

it('counts of terminals are refused with the filters that the list refuses', async () => {
  expect((await get('/counts?status=77')).status).toBe(422);
  expect((await get('/counts?date_from=2026-02-02&date_to=2026-01-01')).body.errors).toHaveProperty('date_to');
  expect((await server.request('GET', `${TERMINALS}/counts`)).status).toBe(401);
});

it('the last day of terminals has 24 hours each, the link in percent and the ping on average', async () => {
  const [id = ''] = await insertTerminals(owner.id, TerminalStatus.ACTIVE);
  await plantHour(id, 5, repeat(60, 100));
  await plantHour(id, 4, [...repeat(30, 100), ...repeat(30, 0)]);
  await plantHour(id, 2, [...repeat(15, 100), ...repeat(45, -1)]);
  await plantHour(id, 1, repeat(60, -1));
  const [{ hours, ...rest }] = await overview([id]);
  expect(rest).toEqual({ terminal_id: id, trading_allowed: true });
  expect(hours).toHaveLength(24);
  const links = (hours as { link: number | null }[]).map(({ link }) => link);
  expect(links.slice(0, 18)).toEqual(repeat(18, null));
  // The host was silent in the hour of which nothing is known.
  expect(links.slice(18, 23)).toEqual([100, 50, 0, 100, null]);
  expect(hours[18].ping_ms).toBe(20);
  expect(hours[20].ping_ms).toBe(null);
  const starts = (hours as { at: number }[]).map(({ at }) => at);
  expect(starts.every((at, number) => at % 3600 === 0 && (number === 0 || at === starts[number - 1]! + 3600))).toBe(
    true,
  );
});

it('the last day of terminals begins with the first minute that was measured', async () => {
  const [id = ''] = await insertTerminals(owner.id, TerminalStatus.ACTIVE);
  await plantHour(id, 3, [...repeat<null>(40, null), ...repeat(20, 100)]);
  const [{ hours }] = await overview([id]);
  expect(hours.slice(19, 22).map(({ link }: { link: number | null }) => link)).toEqual([null, 100, 0]);
});

it('the last day of terminals says nothing of what trades where the terminal does not run', async () => {
  const [id = ''] = await insertTerminals(owner.id, TerminalStatus.STOPPED);
  expect((await overview([id]))[0].trading_allowed).toBe(null);
});

it('the last day of terminals says that trading is off where a running terminal that the broker refused has confirmed it', async () => {
  const [id = ''] = await insertTerminals(owner.id, TerminalStatus.LOGIN_FAILED);
  const confirm = `update terminals set trading_allowed = false, trading_reason = $2 where id = $1`;
  await server.query(confirm, [id, 'account']);
  expect((await overview([id]))[0].trading_allowed).toBe(null);
  await server.query(confirm, [id, 'terminal_switch']);
  expect((await overview([id]))[0].trading_allowed).toBe(false);
  expect((await get(`/${id}?include=details`)).body.data).toMatchObject({
    trading_allowed: false,
    trading_reason: 'terminal_switch',
  });
});

it('the last day of terminals is shown to the owner alone, and of terminals that are there', async () => {
  const [id = '', gone = ''] = await insertTerminals(owner.id, TerminalStatus.ACTIVE, 2);
  const [others = ''] = await insertTerminals(stranger.id, TerminalStatus.ACTIVE);
  await server.query('update terminals set deleted_at = now() where id = $1', [gone]);
  const asked = [id, others, gone, randomUUID(), 'x', id];
  expect((await overview(asked)).map((row: { terminal_id: string }) => row.terminal_id)).toEqual([id]);
  expect(await overview([id], stranger.token)).toEqual([]);
});

it('the last day of terminals is asked of a page of terminals at the most', async () => {
  const ids = await insertTerminals(owner.id, TerminalStatus.ACTIVE, MAX_OVERVIEW_TERMINALS + 1);
  expect(await overview(ids.slice(1))).toHaveLength(MAX_OVERVIEW_TERMINALS);
  expect((await get(`/overview?ids=${ids.join(',')}`)).body.errors).toEqual({
    ids: [`The ids field must not have more than ${MAX_OVERVIEW_TERMINALS} items.`],
  });
  expect((await get('/overview')).status).toBe(422);
  expect((await get(`/overview?ids=${'x'.repeat(8_000)}`)).status).toBe(422);
});
