import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '@berth/testing/wait-for';
import { addChart, readExpertsJournal, toChartText, sandbox, useSandbox } from './sandbox.ts';

useSandbox();

const ACCOUNT = { login: '1001', server: 'Test-Server' };
const TRADING = { experts: 'Enabled=1\r\nAccount=0' };

const readFile = (root: string, name: string): Record<string, unknown> | undefined => {
  const path = join(root, 'MQL5/Files/Berth', name);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>) : undefined;
};
const readAccount = (root: string) => readFile(root, 'account.json');
const waitForAccount = async (root: string, expected: object) => {
  await expect.poll(() => readAccount(root), { timeout: 20_000 }).toMatchObject(expected);
  return readAccount(root)!;
};

const addScript = (root: string, actions: object[], chart = toChartText('EURUSD', 'Trader')): void => {
  writeFileSync(join(root, 'MQL5/Experts/Trader.ex5'), JSON.stringify({ sandbox_expert: 1, repeat: false, actions }));
  addChart(root, 'chart01.chr', chart);
};

const put = (root: string, name: string, content: object): void => {
  const path = join(root, 'MQL5/Files/Berth', name);
  writeFileSync(`${path}.tmp`, JSON.stringify(content));
  renameSync(`${path}.tmp`, path);
};

const command = async (root: string, fields: object) => {
  const id = randomUUID();
  const expires = new Date(Date.now() + 60_000).toISOString();
  put(root, `commands/${id}.json`, { v: 1, id, ...ACCOUNT, expires_at: expires, ...fields });
  await waitFor(() => readFile(root, `answers/${id}.json`), { what: 'the answer' });
  return readFile(root, `answers/${id}.json`)!;
};

const OPEN = { open: { symbol: 'EURUSD', side: 'buy', volume: '0.10' } };
const at = (seconds: number, act: object) => ({ after_seconds: seconds, ...act });
const set = (price: string) => ({ set_price: { symbol: 'EURUSD', price } });

test('a sandbox expert trades, the account survives kills of broker and terminal, and the deals add up', async () => {
  const server = await sandbox.startServer();
  const root = sandbox.install();
  addScript(root, [at(0, set('1.05000')), at(0.1, OPEN), at(0.2, set('1.06000'))]);
  const terminal = await sandbox.login(root, TRADING);
  const account = await waitForAccount(root, {
    ...{ ...ACCOUNT, v: 1, program: 'sandbox 1.2.0', is_synchronized: true, trading_allowed: true },
    ...{ balance: '9999.70', equity: '10099.10', margin_mode: 'hedging', positions_total: 1, deals_total: 2 },
  });
  put(root, 'deals-request.json', { v: 1, ...ACCOUNT, after: null, from: null });
  await waitFor(() => readFile(root, 'deals.json'), { what: 'the deals' });
  expect(readFile(root, 'deals.json')).toMatchObject({
    ...{ ...ACCOUNT, after: null, is_complete: true },
    deals: [
      { side: 'balance', profit: '10000.00' },
      { side: 'buy', entry: 'in', price: '1.05006', commission: '-0.30' },
    ],
  });

  server.child.kill('SIGKILL');
  await server.exit;
  await waitForAccount(root, { is_synchronized: false });
  await terminal.kill();
  await sandbox.startServer();
  writeFileSync(
    join(root, 'MQL5/Experts/Trader.ex5'),
    JSON.stringify({ sandbox_expert: 1, actions: [at(0, { close: 'all' })] }),
  );
  await sandbox.login(root, TRADING);
  const closed = await waitForAccount(root, {
    is_synchronized: true,
    balance: '10098.80',
    positions: [],
    deals_total: 3,
  });
  expect(closed.sequence).toBeGreaterThan(account.sequence as number);
  await waitFor(() => (readFile(root, 'deals.json')?.deals as unknown[]).length === 3, { what: 'the third deal' });
});

test('money moves by the script of an expert whose algo trading is off, and the file of the account says so like the link program', async () => {
  await sandbox.startServer();
  const root = sandbox.install();
  const moves = [{ deposit: '500.00' }, { withdraw: '200.50' }, { credit: '100.00' }, { credit: '-40.00' }];
  addScript(root, [at(0, set('1.05000')), ...moves.map((move) => at(0.1, move)), at(0.2, { withdraw: '99999.00' })]);
  await sandbox.login(root, { experts: 'Enabled=0' });
  const account = await waitForAccount(root, { balance: '10299.50', credit: '60.00', equity: '10359.50' });
  expect(account).toMatchObject({ connected: true, last_tick_at: null, trade_denied_by: ['terminal'], last_deal: '5' });
  expect(account.cash).toEqual({
    until: '5',
    flows: [
      { ticket: '3', amount: '-200.50' },
      { ticket: '2', amount: '500.00' },
      { ticket: '1', amount: '10000.00' },
    ],
  });
  await waitFor(() => readExpertsJournal(root).some((line) => line.includes('Not enough money [10019]')), {
    what: 'the refusal',
  });
});

test('prices of what is held come as long as the broker is there, and the file says when they came last', async () => {
  const server = await sandbox.startServer();
  const root = sandbox.install();
  addScript(root, [at(0, OPEN)]);
  await sandbox.login(root, TRADING);
  const first = await waitForAccount(root, { positions_total: 1, connected: true });
  const toMs = (time: unknown) => Date.parse(String(time));
  expect(toMs(first.last_tick_at)).toBeLessThanOrEqual(toMs(first.at));
  await expect
    .poll(() => toMs(readAccount(root)?.last_tick_at), { timeout: 20_000 })
    .toBeGreaterThan(toMs(first.last_tick_at));
  server.child.kill('SIGKILL');
  await server.exit;
  const { last_tick_at: last } = await waitForAccount(root, { connected: false, is_synchronized: false, cash: null });
  expect(toMs(last)).toBeGreaterThan(0);
  // The file is written on, and its prices are those of before.
  const { sequence } = readAccount(root)!;
  await expect.poll(() => readAccount(root)?.sequence, { timeout: 20_000 }).not.toBe(sequence);
  expect(readAccount(root)?.last_tick_at).toBe(last);
});

test.each([
  ['the terminal', { experts: 'Enabled=0' }, toChartText('EURUSD', 'Trader'), false],
  ['the chart', TRADING, toChartText('EURUSD', 'Trader').replace('expertmode=33', 'expertmode=32'), true],
])('without algo trading on %s an expert does not trade', async (_, startFile, chart, allowed) => {
  await sandbox.startServer();
  const root = sandbox.install();
  addScript(root, [at(0, set('1.05000')), at(0.1, OPEN)], chart);
  await sandbox.login(root, startFile);
  await waitFor(() => readExpertsJournal(root).some((line) => line.includes('[10027]')), { what: 'the refusal' });
  await waitForAccount(root, { positions_total: 0, trading_allowed: allowed });
});

test('a file that is no script does nothing, and a script that cannot be read says why', async () => {
  await sandbox.startServer();
  const root = sandbox.install();
  addScript(root, [at(0, set('1.05000')), at(0, { open: { symbol: 'EURUSD', side: 'long', volume: '0.10' } })]);
  await sandbox.login(root, TRADING);
  const text = 'actions[1] is none of open';
  await waitFor(() => readExpertsJournal(root).some((line) => line.includes(text)), { what: 'the reason' });
});

test('commands close and delete by ticket, once each, and never for another account or too late', async () => {
  await sandbox.startServer();
  const root = sandbox.install();
  const pending = { place: { symbol: 'EURUSD', order_type: 'buy_limit', volume: '0.10', price: '1.00000' } };
  addScript(root, [at(0, set('1.05000')), at(0.1, OPEN), at(0.2, pending)]);
  await sandbox.login(root, TRADING);
  await waitForAccount(root, { positions_total: 1, orders_total: 1 });
  const { positions, orders } = readAccount(root) as Record<'positions' | 'orders', { ticket: string }[]>;
  const close = { action: 'close_position', ticket: positions[0]!.ticket };
  expect(await command(root, { ...close, login: '1002' })).toMatchObject({ retcode: 0, message: 'another account' });
  expect(await command(root, { ...close, expires_at: '2026-01-01T00:00:00.000Z' })).toMatchObject({
    message: 'expired',
  });
  expect(await command(root, { ...close, action: 'close_all' })).toMatchObject({ retcode: 0 });
  await waitForAccount(root, { positions_total: 1, orders_total: 1 });

  const answer = await command(root, close);
  expect(answer).toMatchObject({ retcode: 10009, message: 'Done' });
  expect(await command(root, close)).toMatchObject({ retcode: 10036 });
  expect(await command(root, { action: 'delete_order', ticket: orders[0]!.ticket })).toMatchObject({ retcode: 10009 });
  await waitForAccount(root, { positions_total: 0, orders_total: 0 });
  const id = answer.id as string;
  put(root, `commands/${id}.json`, { v: 1, id, ...ACCOUNT, expires_at: '2999-01-01T00:00:00Z', ...close });
  await waitFor(() => readdirSync(join(root, 'MQL5/Files/Berth/commands')).length === 0, { what: 'the end' });
  expect(readFile(root, `answers/${id}.json`)).toEqual(answer);
});

test.each([
  ['Netting-Demo', [10009], 'Done'],
  ['Requote-Demo', [10004, 10009], 'Done'],
  ['Stuck-Demo', [10018, 10018], 'Market is closed'],
  ['Unclear-Demo', [10012, 10036], 'Position already closed'],
])('the name %s asks for what closing may meet', async (name, codes, message) => {
  await sandbox.startServer();
  const root = sandbox.install();
  addScript(root, [at(0, set('1.05000')), at(0, OPEN), at(0.1, OPEN)]);
  await sandbox.login(root, { ...TRADING, common: `Server=${name}` });
  await waitForAccount(root, { server: name, deals_total: name === 'Requote-Demo' ? 2 : 3 });
  const { positions } = readAccount(root) as { positions: { ticket: string }[] };
  const answers = [];
  for (const retcode of codes) {
    const asked = { server: name, action: 'close_position', ticket: positions[0]!.ticket };
    answers.push(await command(root, asked));
    expect(answers.at(-1)).toMatchObject({ retcode });
  }
  expect(answers.at(-1)).toMatchObject({ message });
});
