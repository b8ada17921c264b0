/** Where tasks on a terminal that speaks like MetaTrader 4 differ: the sandbox's, in its other mode. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TaskType, TerminalStatus } from '@berth/contract';
import { waitFor } from '@berth/testing/wait-for';
import { beforeAll, describe, expect, test } from 'vitest';
import { useSandboxHost, type TestTerminal } from './support/sandbox-host.ts';
import { dataOf, exists, lastOf } from './support/tasks.ts';

const host = useSandboxHost();

const toFile = (terminal: TestTerminal, path: string) => join(host.toRoot(terminal, 'mt4'), path);
const read = (terminal: TestTerminal, path: string) => readFile(toFile(terminal, path), 'utf8');
const createInstalled = () => host.installTerminal({ isMt4: true });
const logIn = (terminal: TestTerminal, password = terminal.account.password, payload: object = {}) =>
  terminal.run(TaskType.ACCOUNT_LOGIN, { ...payload }, { secrets: { password } });
const installExpert = (terminal: TestTerminal, payload: Record<string, unknown> = {}) =>
  terminal.installExpert({ period: 'M15', ...payload });

describe('experts', () => {
  let terminal: TestTerminal;
  beforeAll(async () => {
    terminal = await createInstalled();
  });

  test('experts are installed once, changed and removed, in the files of MetaTrader 4', async () => {
    const file_id = terminal.files.add('program one');
    const first = dataOf(await installExpert(terminal, { file_id, inputs: { Lots: 0.1 }, allow_algo_trading: 1 }));
    expect(await read(terminal, 'MQL4/Experts/Rider.ex4')).toBe('program one');
    expect(await read(terminal, 'profiles/default/order.wnd')).toBe('EURUSD,M15\r\n');
    const chart = await read(terminal, 'profiles/default/chart01.chr');
    expect(chart).toMatch(/symbol=EURUSD\r\nperiod=15\r\n/);
    expect(chart).toMatch(/name=Rider\r\nflags=343\r\nwindow_num=0\r\n<inputs>\r\nLots=0.1\r\n/);
    const pid = await host.getPid(terminal);
    const again = { file_id, inputs: { Lots: 0.1 }, allow_algo_trading: 1 };
    expect(dataOf(await installExpert(terminal, again))).toEqual(first);
    expect(await host.getPid(terminal)).toBe(pid);

    const { chart_id } = first;
    const two = terminal.files.add('program two');
    const updated = dataOf(await terminal.run(TaskType.EA_UPDATE, { chart_id, file_id: two, inputs: { Lots: 2 } }));
    expect(updated.charts).toEqual([chart_id]);
    const { lines } = dataOf(await terminal.run(TaskType.EA_LOGS, { contains: 'inputs:' })) as { lines: string[] };
    expect(lines.at(-1)).toMatch(/^[\d:.]{12}\t\tRider EURUSD,M15 inputs: Lots=2; $/);

    expect(dataOf(await terminal.run(TaskType.EA_REMOVE, { name: 'Rider', delete_file: 1 })).removed).toEqual([
      chart_id,
    ]);
    expect(await exists(toFile(terminal, 'MQL4/Experts/Rider.ex4'))).toBe(false);
    expect(await read(terminal, 'profiles/default/order.wnd')).toBe('');
  });

  test('run on a symbol whose name has blanks and brackets, on a daily chart', async () => {
    const place = { symbol: 'Volatility 75 (1s) Index', period: 'D1' };
    const { chart_id } = dataOf(await installExpert(terminal, place));
    const seen = (await terminal.driver.lookAtCharts!())!.find((chart) => chart.chart_id === chart_id);
    expect(seen).toMatchObject({ ...place, expert: { name: 'Rider', state: 'running' } });
    await terminal.driver.stop();
    expect(await read(terminal, 'profiles/default/order.wnd')).toBe('Volatility 75 (1s) Index,Daily\r\n');
    await terminal.driver.restart();
    const removal = await terminal.run(TaskType.EA_REMOVE, { name: 'Rider', delete_file: 1 });
    expect(dataOf(removal).removed).toEqual([chart_id]);
  });

  test('experts fail with what to do: a missing symbol, a period or a permission that MetaTrader 4 has no way to', async () => {
    const missing = await installExpert(terminal, { symbol: 'NOPE' });
    expect(lastOf(missing)).toMatchObject({ ok: false, code: 'E_SYMBOL' });
    const spaced = lastOf(await installExpert(terminal, { symbol: 'NOPE 30' }));
    expect([spaced.code, spaced.message]).toEqual([
      'E_SYMBOL',
      expect.stringContaining('Rider found no symbol NOPE 30 at'),
    ]);
    expect(await exists(toFile(terminal, 'MQL4/Experts/Rider.ex4'))).toBe(false);
    const pid = await host.getPid(terminal);
    for (const payload of [{ period: 'M2' }, { allow_dll: 1 }, { inputs: { Comment: 'Łódź' } }]) {
      const last = lastOf(await installExpert(terminal, payload));
      expect(last).toMatchObject({ ok: false, code: 'E_UNSUPPORTED' });
      expect(last.message).toMatch(/Use one of M1, M5|Leave allow_dll out|Change the input Comment/);
    }
    expect(await host.getPid(terminal)).toBe(pid);
  });
});

describe('accounts', () => {
  test('a login moves the terminal to another account; a wrong password is E_AUTH even where one is saved', async () => {
    const terminal = await createInstalled();
    const other = { login: '6001', server_name: 'Second-Live' };
    expect(dataOf(await logIn(terminal, 'pw', other))).toMatchObject({ ...other, connected: true });
    expect((await host.readRecord(terminal)).account).toEqual(other);
    expect(lastOf(await logIn(terminal, 'wrong'))).toMatchObject({ ok: false, code: 'E_AUTH' });
    expect(await exists(toFile(terminal, 'config/accounts.ini'))).toBe(false);
    expect(terminal.driver.observe()?.status).toBe(TerminalStatus.LOGIN_FAILED);
    expect(dataOf(await logIn(terminal))).toMatchObject({ login: '5001', connected: true });
    const offline = lastOf(await logIn(terminal, 'pw', { server_name: 'UnreachableX' }));
    expect(offline).toMatchObject({ ok: false, code: 'E_NO_CONNECTION' });
    expect(offline.message).toContain('No connection to the trading server.');
    expect(lastOf(await logIn(terminal, 'pw', { server_name: 'UnknownX' })).code).toBe('E_SERVER_UNKNOWN');
  });

  test('a server is known by its file, never by an address', async () => {
    const terminal = await createInstalled();
    const servers = [{ name: 'Old-Live', address: '127.0.0.1:443' }];
    const refused = lastOf(await terminal.run(TaskType.ACCOUNT_SERVER, { servers }));
    expect(refused).toMatchObject({ ok: false, code: 'E_UNSUPPORTED', message: expect.stringContaining('.srv file') });
    const other = terminal.files.add('not a server');
    expect(lastOf(await terminal.run(TaskType.ACCOUNT_SERVER, { file_id: other })).code).toBe('E_FILE');
    const content = Buffer.alloc(512);
    content.write('Old-Live');
    const known = dataOf(await terminal.run(TaskType.ACCOUNT_SERVER, { file_id: terminal.files.add(content) })).known;
    expect(known).toEqual(['Old-Live']);
    expect(await readFile(toFile(terminal, 'config/Old-Live.srv'))).toEqual(content);
    await waitFor(() => terminal.driver.observe()?.status === TerminalStatus.ACTIVE);
  });
});

describe('options', () => {
  test('the switch for algo trading is pressed, and every later start has it in its start file', async () => {
    const terminal = await createInstalled();
    const pid = await host.getPid(terminal);
    for (const allow_algo_trading of [1, 0, 1]) {
      const outcome = await terminal.run(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading });
      // What the account allows is not said by this program.
      expect(dataOf(outcome)).toMatchObject({
        enabled: allow_algo_trading === 1,
        verified: true,
        trading_allowed: allow_algo_trading === 1 ? null : false,
      });
    }
    expect(await host.getPid(terminal)).toBe(pid);
    await terminal.driver.stop();
    await terminal.driver.restart();
    const again = await terminal.run(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 });
    expect(dataOf(again)).toMatchObject({ enabled: true, verified: true });
    await terminal.run(TaskType.ACCOUNT_LOGOUT);
    const settings = await read(terminal, 'config/terminal.ini');
    const off = await terminal.run(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 0 });
    expect(dataOf(off)).toMatchObject({ enabled: false, verified: true, trading_allowed: null });
    expect(lastOf(off).message).toBe('The next start switches algo trading off.');
    expect(await read(terminal, 'config/terminal.ini')).toBe(settings);
    await host.reopen(terminal, { isMt4: true, faults: { switch_line: true } });
    dataOf(await logIn(terminal));
    const said = dataOf(await terminal.run(TaskType.EA_LOGS, { source: 'journal', contains: 'automated trading' }));
    expect((said.lines as string[]).at(-1)).toMatch(/automated trading is disabled$/);
    const still = await terminal.run(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 0 });
    expect(dataOf(still)).toMatchObject({ enabled: false, verified: true });
  });
});
