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
import { buyTwentyLots, testRiskCases } from '../e2e/risk-cases.ts';
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

testRiskCases('under Wine', create);

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
