/** A suspension counts from its commit on, whatever is asked for at the same moment. */
import { TaskStatus, TaskType, TerminalStatus, type Task } from '@berth/contract';
import { TestHost, toStep, useTestServer, waitFor, type TestServer } from '@berth/testing';
import { beforeEach, expect, it } from 'vitest';
import { lockManagedUser, writeSuspension } from '../src/accounts/managed-users.ts';
import { BulkRuns } from '../src/runs/carrying-on.ts';
import { suspendTerminals } from '../src/runs/suspension.ts';
import { createTasks } from '../src/tasks/create-task.ts';

const server = useTestServer();
const on = { type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 1 } };
let host: TestHost;
let trader: Awaited<ReturnType<TestServer['register']>>;
let terminalId: string;
let path: string;

beforeEach(async () => {
  trader = await server.register('Trader');
  host = await TestHost.enrol(server);
  await server.query('update hosts set status = 3 where id <> $1', [host.id]);
  terminalId = await server.createTerminal(trader.token);
  path = `/v1/my/trading/terminals/${terminalId}/tasks`;
  await host.installAll();
});

const ask = (body: object = on) => server.request('POST', path, { token: trader.token, body });
const read = async (id: string): Promise<Task> => {
  const [task] = await server.query('select status, actor from tasks where id = $1', [id]);
  return task as unknown as Task;
};
const listOpenOn = () =>
  server.query(
    `select id from tasks where user_id = $1 and finished_at is null and payload @> '{"allow_algo_trading": 1}'`,
    [trader.user.id],
  );

/** Suspends, and commits once `meanwhile` has resolved. */
const suspend = (terminals: 'keep' | 'trading_off' | 'stop', meanwhile: () => Promise<unknown> = async () => {}) =>
  server.services.db.transaction(async (tx) => {
    await lockManagedUser(tx, trader.user.id);
    await writeSuspension(tx, trader.user.id, { reason: 'Debt', terminals });
    await suspendTerminals(tx, server.services, trader.user.id, terminals);
    await meanwhile();
  });

/** Resolves once a connection waits for a lock, or the work is done. */
const untilHeldUp = async (work: Promise<unknown>) => {
  let isDone = false;
  void work.finally(() => (isDone = true));
  const isHeldUp = async () =>
    (await server.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
      .length > 0;
  while (!isDone && !(await isHeldUp()));
};

it('a task that is being created while its user is suspended is canceled by the suspension', async () => {
  let suspension: Promise<unknown> = Promise.resolve();
  await server.services.db.transaction(async (tx) => {
    const request = { userId: trader.user.id, terminalId, ...on };
    await createTasks(tx, server.services, [request]);
    suspension = suspend('trading_off');
    await untilHeldUp(suspension);
  });
  await suspension;
  expect(await listOpenOn()).toEqual([]);
});

it('a task that is sent while its user is being suspended is refused, unless the terminals are kept', async () => {
  for (const type of [TaskType.TERMINAL_START, TaskType.ACCOUNT_LOGIN, undefined]) {
    await suspend('stop', async () => {
      const answer = await ask(type === undefined ? on : { type });
      expect([answer.status, answer.headers.get('x-error-code')]).toEqual([403, 'account_suspended']);
      expect((await ask({ type: TaskType.SCREENSHOT })).body.ok).toBe(true);
    });
    await server.query('update users set status = 0, suspended_terminals = null where id = $1', [trader.user.id]);
  }
  await suspend('keep', async () => expect((await ask()).body.ok).toBe(true));
});

it('a run that begins, or is carried on, while its user is being suspended creates nothing that trades', async () => {
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const begin = (body: object) =>
    server.request('POST', '/v1/my/trading/bulk-runs', { token: trader.token, body: { ...on, filter: {}, ...body } });
  const id = ((await begin({ planned_at: later })).body.data as { id: string }).id;
  await server.query('delete from tasks where id in (select task_id from bulk_run_items where run_id = $1)', [id]);
  await server.query('update bulk_run_items set state = 4, task_id = null where run_id = $1', [id]);
  const runs = new BulkRuns({ ...server.services, stopping: new AbortController().signal });
  let begun: Promise<unknown> = Promise.resolve();
  await suspend('trading_off', async () => {
    begun = Promise.all([begin({}), runs.carryOn()]);
    await untilHeldUp(begun);
  });
  await begun;
  expect(await listOpenOn()).toEqual([]);
});

it('a suspension takes back what a host has already, and it is not tried again after the stop', async () => {
  const id = (await ask()).body.data.id as string;
  await host.claim();
  await host.report({ kind: 'started', task_id: id, fence: 1 });
  await suspend('trading_off');
  expect(await read(id)).toMatchObject({ status: TaskStatus.FAILED });
  const steps = [toStep({ data: { enabled: true, verified: true } })];
  expect(await host.report({ kind: 'completed', task_id: id, fence: 1, steps })).not.toEqual(['accepted']);
  expect(await host.claim()).toMatchObject([{ payload: { allow_algo_trading: 0 } }]);
  expect(await listOpenOn()).toEqual([]);
});

it('a terminal that waits for a slot gets none while its user is stopped, and holds up nobody else', async () => {
  const create = (token: string) => server.createTerminal(token, { region: 2 });
  const held = [await create(trader.token), await create(trader.token)];
  const other = await create((await server.register('Somebody else')).token);
  await suspend('stop');
  await TestHost.enrol(server, { region: 2, capacity: 2 });
  const listPlaced = async () =>
    (await server.query('select id from terminals where region_id = 2 and host_id is not null')).map(({ id }) => id);
  await waitFor(async () => (await listPlaced()).length > 0, { what: 'the first one with a slot' });
  expect(await listPlaced()).toEqual([other]);
  await server.query('update users set status = 0, suspended_terminals = null where id = $1', [trader.user.id]);
  await waitFor(async () => (await listPlaced()).length === 2, { what: 'one more with a slot' });
  expect(held).toContain((await listPlaced()).find((id) => id !== other));
});

it.each(['stop', 'trading_off'] as const)(
  'a terminal that is being installed while a suspension says %s ends as it says',
  async (terminals) => {
    const id = await server.createTerminal(trader.token);
    const [install] = await host.claim(1);
    await suspend(terminals);
    await host.complete(install!, { path: '/terminals/new', build: 1 });
    await host.report({ kind: 'terminal', terminal_id: id, status: TerminalStatus.ACTIVE });
    const stops = await server.query(
      'select actor from tasks where terminal_id = $1 and type = $2 and finished_at is null',
      [id, TaskType.TERMINAL_STOP],
    );
    expect(stops).toEqual(terminals === 'stop' ? [{ actor: 'service' }] : []);
  },
);

it('a claim, tasks and a suspension at the same moment leave nothing that trades', async () => {
  for (let round = 0; round < 8; round += 1) {
    const asked = Array.from({ length: 4 }, () => ask());
    await Promise.all([...asked, suspend('stop'), host.claim(1, 0)]);
    expect(await listOpenOn()).toEqual([]);
    await server.query('update users set status = 0, suspended_terminals = null where id = $1', [trader.user.id]);
  }
});
