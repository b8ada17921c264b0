/** A stop of all algo trading: it stays until its user ends it, and asks what has not confirmed it again. */
import { TaskType, TerminalStatus, type BulkRun, type TradingStop } from '@berth/contract';
import { TestHost, toStep, waitFor, useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';
import { askUnconfirmed } from '../src/runs/trading-stop.ts';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' }, without: ['stops of trading'] });

const STOP = '/v1/my/trading/stop';

/** An account with active terminals on a host: algo trading is on for those that are named first. */
const createOwner = async (terminals: number, on = terminals) => {
  const { token, user } = await server.register('Owner');
  const host = await TestHost.enrol(server, { name: `host-${user.id}`, capacity: 10_000 });
  const rows = await server.query(
    `insert into terminals (id, user_id, project_id, host_id, region_id, platform, name, server_name, login, status,
       trading_allowed, trading_reason)
     select gen_random_uuid(), u.id, u.default_project_id, $2, 0, 'sandbox', 'T' || n, 'Demo', n, ${TerminalStatus.ACTIVE},
       n <= $4, case when n > $4 then 'terminal_switch' end
     from users u cross join generate_series(1, $3::integer) n where u.id = $1 returning id`,
    [user.id, host.id, terminals, on],
  );
  const ids = rows.map((row) => row.id as string);
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.request(method, path, { token, body, headers });
  const read = async () => (await send('GET', STOP)).body.data.stop as TradingStop | null;
  const claimed: Awaited<ReturnType<TestHost['claim']>> = [];
  /** What the host is asked for until it has this many tasks. */
  const claim = async (total: number) => {
    const claimMore = async () => {
      claimed.push(...(await host.claim(100, 0)));
      return claimed.length >= total;
    };
    await waitFor(claimMore, { what: `${total} tasks` });
    return claimed.splice(0);
  };
  const confirm = (task: Parameters<TestHost['complete']>[0], isOn = false) =>
    host.complete(task, {
      ...{ enabled: isOn, verified: true, trading_allowed: isOn },
      ...(isOn ? {} : { trading_reason: 'terminal_switch' }),
    });
  const refuse = async (task: { id: string; fence: number }) => {
    const of = { task_id: task.id, fence: task.fence };
    const seen = toStep({ ok: false, code: 'E_UNSUPPORTED', message: 'The terminal still says that trading is on.' });
    await host.report({ kind: 'started', ...of }, { kind: 'failed', ...of, steps: [seen] });
  };
  /** Time passes for those that are asked again. */
  const wait = (seconds: number) =>
    server.query(
      `update trading_stop_terminals set asked_at = asked_at - $2 * interval '1 second' where user_id = $1`,
      [user.id, seconds],
    );
  const countOpen = async () => {
    const [row] = await server.query(
      'select count(*)::int as total from tasks where user_id = $1 and finished_at is null',
      [user.id],
    );
    return row?.total as number;
  };
  return { token, user, host, ids, send, read, claim, confirm, refuse, wait, countOpen };
};

const askAgain = () => askUnconfirmed(server.services);

it('a stop of all algo trading counts what was confirmed, and names what was not', async () => {
  const owner = await createOwner(3);
  expect((await owner.send('GET', STOP)).body).toMatchObject({ ok: true, data: { stop: null } });
  const { status, body } = await owner.send('POST', STOP);
  expect([status, body.ok]).toEqual([200, true]);
  expect(body.data).toMatchObject({ total: 3, confirmed: 0, unconfirmed: 3, on_again: 0, was_on: 3, was_unknown: 0 });
  const [first, second, third] = await owner.claim(3);
  await owner.confirm(first!);
  await owner.confirm(second!);
  await owner.refuse(third!);
  const stop = await owner.read();
  expect(stop).toMatchObject({ total: 3, confirmed: 2, unconfirmed: 1 });
  expect(stop?.exceptions).toMatchObject([
    { terminal_id: third!.terminal.id, status: TerminalStatus.ACTIVE, is_on_again: false },
  ]);
});

it('a stop of all algo trading asks again what did not confirm it, after a pause that grows, until it does', async () => {
  const owner = await createOwner(1);
  await owner.send('POST', STOP);
  await owner.refuse((await owner.claim(1))[0]!);
  await askAgain();
  expect(await owner.countOpen()).toBe(0);
  await owner.wait(31);
  await askAgain();
  await askAgain();
  expect(await owner.countOpen()).toBe(1);
  await owner.refuse((await owner.claim(1))[0]!);
  await owner.wait(31);
  await askAgain();
  expect(await owner.countOpen()).toBe(0);
  await owner.wait(30);
  await askAgain();
  await owner.confirm((await owner.claim(1))[0]!);
  expect(await owner.read()).toMatchObject({ confirmed: 1, unconfirmed: 0, exceptions: [] });
  await owner.wait(86_400);
  await askAgain();
  expect(await owner.countOpen()).toBe(0);
});

it('a stop of all algo trading asks a terminal within a minute that has another status than when it was asked, as when its host is back', async () => {
  const owner = await createOwner(1);
  const setStatus = (status: TerminalStatus) =>
    server.query('update terminals set status = $1 where id = any($2)', [status, owner.ids]);
  await setStatus(TerminalStatus.UNREACHABLE);
  await owner.send('POST', STOP);
  await owner.refuse((await owner.claim(1))[0]!);
  await server.query('update trading_stop_terminals set tries = 7 where user_id = $1', [owner.user.id]);
  await owner.wait(61);
  await askAgain();
  expect(await owner.countOpen()).toBe(0);
  await setStatus(TerminalStatus.ACTIVE);
  await askAgain();
  expect(await owner.countOpen()).toBe(1);
});

it('a stop of all algo trading takes a confirmation from whoever asked for it, but none that was asked for before it began', async () => {
  const owner = await createOwner(1);
  const path = `/v1/my/trading/terminals/${owner.ids[0]}/tasks`;
  const off = { type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 0 } };
  await owner.send('POST', path, off);
  const [old] = await owner.claim(1);
  await owner.send('POST', STOP);
  await owner.confirm(old!);
  expect(await owner.read()).toMatchObject({ confirmed: 0, unconfirmed: 1 });
  await owner.refuse((await owner.claim(1))[0]!);
  await owner.send('POST', path, off);
  await owner.confirm((await owner.claim(1))[0]!);
  expect(await owner.read()).toMatchObject({ confirmed: 1, unconfirmed: 0 });
});

it('a stop of all algo trading says of a terminal that was turned on since that it is on again, and asks it once more when it is renewed', async () => {
  const owner = await createOwner(2);
  await owner.send('POST', STOP);
  for (const task of await owner.claim(2)) await owner.confirm(task);
  await server.query(`update terminals set trading_allowed = true, trading_reason = null where id = $1`, [
    owner.ids[0],
  ]);
  const stop = await owner.read();
  expect(stop).toMatchObject({ confirmed: 1, unconfirmed: 0, on_again: 1 });
  expect(stop?.exceptions).toMatchObject([{ terminal_id: owner.ids[0], is_on_again: true }]);
  const begun = stop?.started_at;
  const renewed = (await owner.send('POST', STOP)).body.data as TradingStop;
  expect(renewed).toMatchObject({ started_at: begun, confirmed: 1, unconfirmed: 1, on_again: 0, was_on: 2 });
  for (const task of await owner.claim(2)) await owner.confirm(task);
  expect(await owner.read()).toMatchObject({ confirmed: 2, unconfirmed: 0, on_again: 0 });
});

it('a stop of all algo trading that was renewed still does not know what was on when it began', async () => {
  const owner = await createOwner(1);
  await server.query('update terminals set trading_allowed = null, trading_reason = null where id = any($1)', [
    owner.ids,
  ]);
  await owner.send('POST', STOP);
  await owner.confirm((await owner.claim(1))[0]!);
  expect((await owner.send('POST', STOP)).body.data).toMatchObject({ was_on: 0, was_unknown: 1 });
});

it('a stop of all algo trading does not turn off again what its user turned on before it was confirmed', async () => {
  const owner = await createOwner(1);
  await owner.send('POST', STOP);
  await owner.refuse((await owner.claim(1))[0]!);
  const on = { type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 1 } };
  await owner.send('POST', `/v1/my/trading/terminals/${owner.ids[0]}/tasks`, on);
  await owner.confirm((await owner.claim(1))[0]!, true);
  expect(await owner.read()).toMatchObject({ total: 0, unconfirmed: 0 });
  await owner.wait(86_400);
  await askAgain();
  expect(await owner.countOpen()).toBe(0);
});

it('a stop of all algo trading leaves out what is not installed, and what is deleted', async () => {
  const owner = await createOwner(4);
  const [installing, , deleted] = owner.ids;
  await server.query('update terminals set status = $1 where id = $2', [TerminalStatus.INSTALLING, installing]);
  expect((await owner.send('POST', STOP)).body.data).toMatchObject({ total: 3 });
  await owner.claim(3);
  await owner.send('DELETE', `/v1/my/trading/terminals/${deleted}`);
  expect(await owner.read()).toMatchObject({ total: 2, unconfirmed: 2 });
});

it('a stop of all algo trading is refused where there is no terminal, and creates nothing twice under one key', async () => {
  const nobody = await server.register('Nobody');
  const refused = await server.request('POST', STOP, { token: nobody.token });
  expect([refused.status, refused.body.code]).toEqual([409, 'nothing_matched']);
  const owner = await createOwner(1);
  const key = { 'idempotency-key': 'the-same-stop' };
  const [one, other] = [await owner.send('POST', STOP, {}, key), await owner.send('POST', STOP, {}, key)];
  expect(other.body).toEqual(one.body);
  expect(await owner.countOpen()).toBe(1);
});

it('the end of a stop turns on again what was on, and only that', async () => {
  const owner = await createOwner(3, 1);
  await server.query('update terminals set trading_allowed = null, trading_reason = null where id = $1', [
    owner.ids[2],
  ]);
  expect((await owner.send('POST', STOP)).body.data).toMatchObject({ was_on: 1, was_unknown: 1 });
  for (const task of await owner.claim(3)) await owner.confirm(task);
  const { body } = await owner.send('POST', `${STOP}/end`, { restore: true });
  expect(body.data.run).toMatchObject({ total: 1, payload: { allow_algo_trading: 1 } } satisfies Partial<BulkRun>);
  const [task] = await owner.claim(1);
  expect(task).toMatchObject({ terminal: { id: owner.ids[0] }, payload: { allow_algo_trading: 1 } });
  expect(await owner.read()).toBeNull();
});

it('the end of a stop turns nothing on where nothing was on, and where it is to stay off', async () => {
  for (const [on, restore] of [
    [0, true],
    [2, false],
  ] as const) {
    const owner = await createOwner(2, on);
    await owner.send('POST', STOP);
    for (const task of await owner.claim(2)) await owner.confirm(task);
    const { body } = await owner.send('POST', `${STOP}/end`, { restore });
    expect(body).toMatchObject({ ok: true, data: { run: null } });
    expect(await owner.countOpen()).toBe(0);
    expect(await owner.read()).toBeNull();
  }
});

it('the end of a stop asks nobody any more', async () => {
  const owner = await createOwner(1);
  await owner.send('POST', STOP);
  await owner.refuse((await owner.claim(1))[0]!);
  await owner.send('POST', `${STOP}/end`, { restore: false });
  await owner.wait(86_400);
  await askAgain();
  expect(await owner.countOpen()).toBe(0);
});

it('the end of a stop has to be told whether to restore, and is refused where there is no stop', async () => {
  const owner = await createOwner(1);
  await owner.send('POST', STOP);
  for (const body of [{}, { restore: 'yes' }, { restored: true }]) {
    expect((await owner.send('POST', `${STOP}/end`, body)).status).toBe(422);
  }
  expect(await owner.read()).toMatchObject({ total: 1 });
  const other = await createOwner(1);
  const { body } = await other.send('POST', `${STOP}/end`, { restore: true });
  expect(body).toMatchObject({ ok: false, code: 'no_stop' });
  expect(await owner.read()).toMatchObject({ total: 1 });
});
