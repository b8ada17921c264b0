/** Closing everything on terminals of the sandbox, whose broker makes the trouble that its names ask for. */
import { createLogger, systemTiming } from '@berth/kit';
import { TaskType } from '@berth/contract';
import { waitFor } from '@berth/testing/wait-for';
import { expect, test } from 'vitest';
import { Accounts } from '../src/account/accounts.ts';
import { useSandboxHost } from './support/sandbox-host.ts';

const host = useSandboxHost();

const at = (seconds: number, act: object) => ({ after_seconds: seconds, ...act });
const open = (symbol: string, magic: string) => ({ open: { symbol, side: 'buy', volume: '0.01', magic } });
const place = { place: { symbol: 'EURUSD', order_type: 'buy_limit', volume: '0.01', price: '0.50000' } };
const ACTIONS = [at(0, open('EURUSD', '1')), at(0, open('EURUSD', '2')), at(0, open('GBPUSD', '1')), at(0, place)];

/** A terminal with an expert that trades, and the host's view of its account. */
const start = async (server: string, actions: object[], whole: { positions: number; orders: number }) => {
  const terminal = await host.createTerminal();
  terminal.account = { ...terminal.account, server_name: server };
  expect((await terminal.install()).kind).toBe('completed');
  await terminal.run(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 });
  const file_id = terminal.files.add(JSON.stringify({ sandbox_expert: 1, repeat: false, actions }));
  const payload = { name: 'Trader', symbol: 'EURUSD', period: 'M15', allow_algo_trading: 1, file_id };
  expect((await terminal.run(TaskType.EA_INSTALL, payload)).kind).toBe('completed');
  const { driver, id } = terminal;
  const clock = { aheadMs: 0 };
  const accounts = new Accounts({
    keeper: { list: () => [{ driver, isBusy: false }], find: () => driver },
    server: { sendAccounts: async () => ({ too_soon: [], refused: [], cursors: [] }) },
    timing: systemTiming,
    elapsedMs: () => performance.now() + clock.aheadMs,
    log: createLogger({ name: 'test', level: 'silent' }),
  });
  const ending = new AbortController();
  const running = accounts.run(50, ending.signal);
  const state = () => accounts.latestAccount(id)?.state;
  await waitFor(() => state()?.positions_total === whole.positions && state()?.orders_total === whole.orders, {
    what: 'what the expert opens',
  });
  const close = (filter: object = {}) => accounts.closeEverything(id, filter, new AbortController().signal);
  const end = async () => {
    ending.abort();
    await running;
    await driver.stop();
  };
  return { terminal, accounts, clock, state, close, end };
};

test('orders are deleted and positions closed: what a filter means, then all, and the account shows it', async () => {
  const { close, state, end, accounts, terminal } = await start('Test-Demo', ACTIONS, { positions: 3, orders: 1 });
  await expect(close({ symbols: [] })).rejects.toThrow('empty');
  expect(await close({ symbols: ['NOPE'] })).toEqual({ closed: 0, total: 0, left_open: [] });
  expect(await close({ magic: '2' })).toEqual({ closed: 1, total: 1, left_open: [] });
  expect(await close({ symbols: ['GBPUSD'] })).toEqual({ closed: 1, total: 1, left_open: [] });
  expect(state()).toMatchObject({ positions_total: 1, orders_total: 1 });
  expect(await close()).toEqual({ closed: 2, total: 2, left_open: [] });
  expect(state()).toMatchObject({ positions_total: 0, orders_total: 0, last_deal: expect.any(String) as string });
  const gone = { action: 'close_position', ticket: '2' } as const;
  expect(await accounts.sendCommand(terminal.id, gone, new AbortController().signal)).toMatchObject({ retcode: 10036 });
  await end();
});

test.each(['Requote-Demo', 'Unclear-Demo', 'Netting-Demo'])(
  'everything is closed on %s, and nothing is counted twice',
  async (server) => {
    // Opening is requoted as well, the first time.
    const again = server === 'Requote-Demo' ? [...ACTIONS.slice(0, 1), ...ACTIONS.slice(2, 3)] : [];
    const whole = { positions: server === 'Test-Demo' ? 3 : server === 'Unclear-Demo' ? 3 : 2, orders: 1 };
    const { close, state, end } = await start(server, [...ACTIONS, ...again], whole);
    const total = whole.positions + whole.orders;
    expect(await close()).toEqual({ closed: total, total, left_open: [] });
    expect(state()).toMatchObject({ positions_total: 0, orders_total: 0 });
    await end();
  },
);

test('what the broker refuses to close is left open, with its reason', async () => {
  const { close, end } = await start('Stuck-Demo', ACTIONS.slice(1), { positions: 2, orders: 1 });
  const result = await close();
  expect(result).toMatchObject({ closed: 1, total: 3 });
  const left = result.left_open.map(({ symbol, message }) => `${symbol}: ${message}`).sort();
  expect(left).toEqual(['EURUSD: Market is closed [10018]', 'GBPUSD: Market is closed [10018]']);
  await end();
});

test('CLOSE_ALL has failed when anything is left, and says what; with a filter it closes only that', async () => {
  const { terminal, accounts, end } = await start('Stuck-Second', ACTIONS.slice(1), { positions: 2, orders: 1 });
  terminal.taskAccount = {
    close: (filter, signal) => accounts.closeEverything(terminal.id, filter, signal),
    countOpen: (filter) => accounts.countOpen(terminal.id, filter),
  };
  const others = await terminal.run(TaskType.CLOSE_ALL, { symbols: ['NOPE'] });
  expect([others.kind, others.steps.at(-1)?.data]).toEqual([
    'completed',
    { closed: 0, total: 0, left_open: [], remaining: 0 },
  ]);
  const { kind, steps } = await terminal.run(TaskType.CLOSE_ALL);
  expect([kind, steps.at(-1)?.code]).toEqual(['failed', 'E_TIMEOUT']);
  expect(steps.at(-1)?.message).toContain('Closed 1 of 3.');
  expect(steps.at(-1)?.data).toMatchObject({ closed: 1, total: 3, remaining: 2 });
  await end();
});

test('on old numbers nothing is closed', async () => {
  const { accounts, terminal, end, clock } = await start('Test-Demo', ACTIONS, { positions: 3, orders: 1 });
  await terminal.driver.stop();
  clock.aheadMs = 16_000;
  // It would wait for newer ones if it were not asked to end.
  const closing = accounts.closeEverything(terminal.id, {}, AbortSignal.abort());
  await expect(closing).rejects.toThrow('no current numbers');
  await end();
});
