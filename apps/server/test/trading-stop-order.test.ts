/** After a stop of all algo trading nothing turns trading on that was asked for before it, whatever is under way. */
import { TaskStatus, TaskType, TerminalStatus, type DeliveredTask } from '@berth/contract';
import { TestHost, useTestServer, waitFor } from '@berth/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Transaction } from '../src/db/database.ts';
import { endStop, startStop } from '../src/runs/trading-stop.ts';
import { stepMove } from '../src/deployment/moves.ts';
import { createTasks } from '../src/tasks/create-task.ts';
import { createScene } from './support/move-scene.ts';

const server = useTestServer({
  config: { defaultPlatform: 'sandbox' },
  without: ['moves of terminals', 'stops of trading', 'runs of tasks', 'the scheduler', 'tidying'],
});
const { EA_INSTALL, EA_LOGS, OPTIONS_AUTO_TRADE, TERMINAL_INSTALL, TERMINAL_START, TERMINAL_STOP } = TaskType;
const on = { type: OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 1 } };
const STOP = '/v1/my/trading/stop';

const toWithin = (tx: Transaction) => ({
  hasKey: true,
  within: <Result>(work: (tx: Transaction) => Promise<Result>) => work(tx),
});

/** Begins a stop, and commits once `meanwhile` has resolved. */
const stop = (userId: string, meanwhile: () => Promise<unknown> = async () => {}) =>
  server.services.db.transaction(async (tx) => {
    await startStop(server.services, userId, toWithin(tx));
    await meanwhile();
  });
const endLeavingOff = (userId: string) =>
  server.services.db.transaction((tx) => endStop(server.services, { userId, restore: false }, toWithin(tx)));

/** Resolves once a connection waits for a lock, or the work is done. */
const untilHeldUp = async (work: Promise<unknown>) => {
  let isDone = false;
  void work.finally(() => (isDone = true));
  const isHeldUp = async () =>
    (await server.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
      .length > 0;
  while (!isDone && !(await isHeldUp()));
};

let host: TestHost;
let userId: string;
let token: string;
let id: string;

beforeEach(async () => {
  const trader = await server.register('Trader');
  [userId, token] = [trader.user.id, trader.token];
  host = await TestHost.enrol(server);
  await server.query('update hosts set status = 3 where id <> $1', [host.id]);
  id = await server.createTerminal(token);
  await host.installAll();
});

const send = (method: string, path: string, body?: unknown) => server.request(method, path, { token, body });
const ask = async (body: object = on, terminal = id) =>
  (await send('POST', `/v1/my/trading/terminals/${terminal}/tasks`, body)).body;
const listOn = () =>
  server.query(
    `select status from tasks where user_id = $1 and finished_at is null and type = $2 and payload @> '{"allow_algo_trading": 1}'`,
    [userId, OPTIONS_AUTO_TRADE],
  );
const complete = async (task: DeliveredTask) => {
  await host.complete(task, task.type === EA_INSTALL ? { chart_id: task.id } : {});
  return task;
};
const next = async (): Promise<DeliveredTask> => complete((await host.claim(1))[0]!);

/** A terminal that is made from a snapshot, and is to trade at the end: its tasks but the last one are done. */
const createRestoring = async () => {
  const headers = { 'content-type': 'application/octet-stream' };
  const file = await server.request('POST', '/v1/my/files?name=A.ex5', { token, body: Buffer.from('a'), headers });
  const { id: file_id } = file.body.data as { id: string };
  for (const body of [
    { type: EA_INSTALL, payload: { name: 'A', file_id, symbol: 'EURUSD', period: 'H1', allow_algo_trading: 1 } },
    on,
  ]) {
    await ask(body);
    await next();
  }
  const [{ id: snapshot_id }] = (await send('GET', `/v1/my/trading/terminals/${id}/snapshots`)).body.data as [
    { id: string },
  ];
  await server.createTerminal(token, { login: '2', snapshot_id, allow_algo_trading: 1 });
};

describe('a terminal that is being set up', () => {
  it('algo trading is not resumed by what ends while a stop is being committed, nor afterwards', async () => {
    await createRestoring();
    await next();
    const [last] = await host.claim(1);
    expect(last?.type).toBe(EA_INSTALL);
    await stop(userId, () => complete(last!));
    expect(await listOn()).toEqual([]);
    await endLeavingOff(userId);
    await ask({ type: TaskType.MARKET_WATCH_SHOW_ALL });
    while ((await next()).type !== TaskType.MARKET_WATCH_SHOW_ALL);
    expect(await listOn()).toEqual([]);
  });

  it('algo trading that was resumed a moment before a stop, and is still waiting, is not turned on after it', async () => {
    await createRestoring();
    await next();
    await next();
    expect(await listOn()).toHaveLength(1);
    await stop(userId);
    expect(await listOn()).toEqual([]);
  });

  it('algo trading is not resumed where a stop began and ended while the terminal was being set up', async () => {
    await createRestoring();
    await stop(userId);
    await endLeavingOff(userId);
    const done = [await next(), await next(), await next()].map(({ type }) => type);
    expect(done.sort((a, b) => a - b)).toEqual([TERMINAL_INSTALL, EA_INSTALL, OPTIONS_AUTO_TRADE]);
    expect(await listOn()).toEqual([]);
  });
});

describe('what was asked for before a stop', () => {
  it.each([
    ['waits', async () => void (await ask())],
    ['is planned for later', async () => void (await ask({ ...on, planned_at: new Date(Date.now() + 9e6) }))],
    [
      'its host is doing',
      async () => {
        const { data } = await ask();
        await host.claim();
        await host.report({ kind: 'started', task_id: (data as { id: string }).id, fence: 1 });
      },
    ],
    [
      'a run has yet to create',
      async () => {
        const planned_at = new Date(Date.now() + 9e6);
        await send('POST', '/v1/my/trading/bulk-runs', { ...on, all: true, planned_at });
        await server.query('delete from tasks where user_id = $1 and finished_at is null', [userId]);
        await server.query('update bulk_run_items set state = 4, task_id = null where task_id is not null');
      },
    ],
  ])('algo trading that %s when a stop begins is not turned on after it', async (_what, prepare) => {
    await prepare();
    expect((await send('POST', STOP)).body.ok).toBe(true);
    expect(await listOn()).toEqual([]);
    const pending = await server.query(
      `select from bulk_run_items i join bulk_runs r on r.id = i.run_id where i.state = 4 and r.user_id = $1`,
      [userId],
    );
    expect(pending).toEqual([]);
  });

  it('a task that is being created while a stop begins is ended by it, and one that is sent then is refused with the reason', async () => {
    let stopping: Promise<unknown> = Promise.resolve();
    await server.services.db.transaction(async (tx) => {
      await createTasks(tx, server.services, [{ userId, terminalId: id, ...on }]);
      stopping = stop(userId, async () => {
        expect(await ask()).toMatchObject({ ok: false, msg: expect.stringContaining('being stopped') as string });
        expect(await ask({ type: EA_LOGS })).toMatchObject({ ok: true });
      });
      await untilHeldUp(stopping);
    });
    await stopping;
    expect(await listOn()).toEqual([]);
  });

  it('what its user asks for after a stop began turns trading on, and what another user asked for before stays', async () => {
    const other = await server.register('Somebody else');
    const others = await server.createTerminal(other.token);
    await host.installAll();
    await server.request('POST', `/v1/my/trading/terminals/${others}/tasks`, { token: other.token, body: on });
    await stop(userId);
    expect(await ask()).toMatchObject({ ok: true });
    const waiting = await server.query(
      `select from tasks where finished_at is null and payload @> $1 and user_id = any($2)`,
      [on.payload, [userId, other.user.id]],
    );
    expect(waiting).toHaveLength(2);
  });

  it('a schedule turns no trading on while a stop lasts, and says so', async () => {
    const times = { cron: '5 0 * * 1', time_zone: 'UTC', missed: 'run_once' };
    const schedule = (await send('POST', '/v1/my/schedules', { name: 'Monday', ...on, all: true, ...times })).body.data;
    await stop(userId);
    await server.query('update schedules set next_at = now() where id = $1', [schedule.id]);
    const find = async () => (await send('GET', `/v1/my/schedules/${schedule.id}`)).body.data.last_run ?? undefined;
    expect(await waitFor(find, { what: 'its run' })).toMatchObject({
      ...{ outcome: 'skipped', run_id: null, message: expect.stringContaining('stop') as string },
    });
    expect(await listOn()).toEqual([]);
  });
});

describe('a terminal that moves', () => {
  const begin = async () => {
    const scene = await createScene(server);
    const target = await scene.addHost();
    expect((await scene.move()).status).toBe(200);
    await scene.work(scene.source);
    return { ...scene, target };
  };
  const failed = (type: TaskType) => (type === TERMINAL_INSTALL ? ('failed' as const) : ('done' as const));

  it('a terminal comes back from a move stopped where a stop began and ended meanwhile', async () => {
    const scene = await begin();
    await scene.step();
    await stop(scene.owner.user.id);
    await endLeavingOff(scene.owner.user.id);
    await scene.settle({ target: failed });
    expect([scene.source.runs, scene.source.did]).toEqual([false, expect.not.arrayContaining([TERMINAL_START])]);
    expect((await scene.find()).status).toBe(TerminalStatus.STOPPED);
  });

  it('a move that goes back while a stop is being committed waits for it, and starts nothing', async () => {
    const scene = await begin();
    await server.query('update hosts set cordoned_at = now() where id = $1', [scene.target.host.id]);
    let going: Promise<unknown> = Promise.resolve();
    await stop(scene.owner.user.id, async () => {
      going = scene.goOn();
      await untilHeldUp(going);
    });
    await going;
    expect(await scene.statusOf(TERMINAL_START)).toBeUndefined();
    expect(await scene.find()).toMatchObject({ status: TerminalStatus.STOPPED, move: null });
  });

  it('a stop waits for a move that is just going back, and then asks the terminal, too', async () => {
    const scene = await begin();
    await server.query('update hosts set cordoned_at = now() where id = $1', [scene.target.host.id]);
    let stopping: Promise<unknown> = Promise.resolve();
    await server.services.db.transaction(async (tx) => {
      while (await stepMove(tx, server.services, scene.id));
      stopping = stop(scene.owner.user.id);
      await untilHeldUp(stopping);
    });
    await stopping;
    const [first] = await scene.source.host.claim(1);
    expect(first).toMatchObject({ type: OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 0 } });
    const asked = await server.query('select from trading_stop_terminals where terminal_id = $1', [scene.id]);
    expect(asked).toHaveLength(1);
    expect(await scene.statusOf(TERMINAL_STOP)).toBe(TaskStatus.COMPLETED);
  });
});
