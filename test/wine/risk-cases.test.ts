// @module-tag wine
/**
 * Worked cases of risk rules on the stand-in under Wine: the link program's own source tells the account, takes experts away
 * and closes. The same on the sandbox: test/e2e/risk-cases.test.ts and risk-restarts.test.ts.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findTradingServer, GuardedTerminal, type TerminalPlace } from '../e2e/guarded-terminal.ts';
import { listHostBoxes } from './support/host-boxes.ts';
import { startStandInHost, type StandInHost } from './support/stand-in-host.ts';

const TIMEOUT_MS = 600_000;
const TERMINAL = 'C:\\mt5\\terminal64.exe';

let host: StandInHost;
beforeAll(async () => void (host = await startStandInHost('mt5', {}, '1.1.0')));
afterAll(() => host?.close());

const findPlace = async (id: string): Promise<TerminalPlace> => {
  const box = (await listHostBoxes(host.directory)).find(({ folder }) => folder.endsWith(id));
  const found = box?.inside.find(({ command }) => command[0] === TERMINAL);
  const entries = box ? await readdir(box.folder, { recursive: true }) : [];
  const program = entries.find((entry) => entry.endsWith('drive_c/mt5/terminal64.exe'));
  if (!box || !found || program === undefined) throw new Error('The terminal does not run.');
  return { folder: join(box.folder, program, '..'), pid: found.pid };
};
const create = () => GuardedTerminal.create(host.stack, { order: { region: 2, platform: 'mt5' }, findPlace });

/** Buys 20 lots: the account has 99,820.00 then, and each point of the price is 20.00. */
const buyTwentyLots = async (terminal: GuardedTerminal): Promise<void> => {
  await terminal.setPrice('EURUSD', '1.05000');
  await terminal.open('EURUSD', '20.00');
};

it(
  'under Wine a buffer closes before the costs of closing reach the limit, and one cent above it does nothing',
  async () => {
    const terminal = await create();
    const rule = await terminal.addRule({ buffer: '100.00' });
    await buyTwentyLots(terminal);
    // Each point of this one is a cent.
    await terminal.setPrice('GBPUSD', '1.27000');
    await terminal.open('GBPUSD', '0.01');
    await terminal.setPrice('GBPUSD', '1.27013');
    await terminal.setPrice('EURUSD', '1.04764');
    await terminal.waitForState(rule, ({ used }) => used === '4899.99');
    expect([terminal.phone.state.equity, await terminal.listBreaches()]).toEqual(['95100.01', []]);
    await terminal.setPrice('GBPUSD', '1.26912');
    const breach = await terminal.waitForBreach(({ actions }) => actions.length === 2);
    expect(breach).toMatchObject({ value: '95099.00', limit: '95100.00', closed: 2, total: 2, left_open: [] });
    await terminal.waitUntilEmpty();
  },
  TIMEOUT_MS,
);

it(
  'under Wine what fills and what is opened while a rule closes, and what a phone opens later, is closed under one breach',
  async () => {
    const terminal = await create();
    await terminal.addRule();
    await buyTwentyLots(terminal);
    for (let count = 0; count < 3; count += 1) await terminal.open('EURUSD', '0.01');
    for (const price of ['1.04000', '1.03000']) await terminal.placeBuyLimit('EURUSD', '0.01', price);
    await waitFor(() => terminal.readAccount().orders_total === 2, { what: 'what is open' });
    const thaw = await terminal.breachFrozen('1.04700');
    await waitFor(() => terminal.listCommands().filter((action) => action === 'delete_order').length === 2, {
      what: 'the deletion of both orders',
    });
    await terminal.setPrice('EURUSD', '1.03990');
    await terminal.open('EURUSD', '0.02');
    thaw();
    await terminal.waitUntilEmpty();
    // Six positions and an order.
    const { id, closed, total } = await terminal.waitForBreach(({ phase }) => phase === 'holding');
    expect([closed, total, await terminal.countClosed()]).toEqual([7, 7, 6]);
    await terminal.open('EURUSD', '0.50');
    await terminal.waitUntilEmpty();
    const breach = await terminal.waitForBreach((now) => now.closed > 7);
    expect(breach).toMatchObject({ id, closed: 8, total: 8, left_open: [] });
  },
  TIMEOUT_MS,
);

it(
  'under Wine a terminal without connection and an agent that is killed meanwhile lead to one breach, on the marks of before',
  async () => {
    const terminal = await create();
    const rule = await terminal.addRule();
    await buyTwentyLots(terminal);
    await terminal.setPrice('EURUSD', '1.04764');
    await terminal.waitForState(rule, ({ used }) => used === '4900.00');
    const { folder } = await findPlace(terminal.id);
    const servers = join(folder, 'config/servers.txt');
    const broker = findTradingServer(host.stack);
    await writeFile(servers, '*=127.0.0.1:1\r\n');
    const [tradingServer] = host.stack.processes('trading server');
    process.kill(tradingServer!.pid, 'SIGKILL');
    await terminal.waitForState(rule, ({ blind }) => blind === 'not_synchronised');
    host.agent.child.kill('SIGKILL');
    await host.agent.ended;
    host.startAgent();
    const phone = await waitFor(() => terminal.openPhone().catch(() => undefined), { what: 'the trading server' });
    await phone.trade({ action: 'set_price', symbol: 'EURUSD', price: '1.04749' });
    expect(await terminal.listBreaches()).toEqual([]);
    await writeFile(servers, `*=${broker}\r\n`);
    const breach = await terminal.waitForBreach(({ phase }) => phase === 'holding');
    expect(breach).toMatchObject({ value: '94800.00', limit: '95000.00', closed: 1, total: 1, left_open: [] });
    expect(await terminal.waitForState(rule, () => true)).toMatchObject({ day_start: '100000.00' });
    expect(phone.state).toMatchObject({ positions_total: 0, balance: '94740.00' });
    phone.close();
  },
  TIMEOUT_MS,
);
