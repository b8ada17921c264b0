/** A terminal that is logged in is not yet logged in to the account that was asked for. */
import { readFile } from 'node:fs/promises';
import { TaskType, TerminalStatus } from '@berth/contract';
import { waitFor } from '@berth/testing/wait-for';
import { describe, expect, test } from 'vitest';
import type { JournalEvent } from '../src/platforms/metatrader/journal/journal-events.ts';
import { isOfAnother, toOwnLogin } from '../src/platforms/metatrader/run/own-account.ts';
import { useSandboxHost, type TestTerminal } from './support/sandbox-host.ts';

const host = useSandboxHost();

const statusOf = ({ driver }: TestTerminal) => driver.observe()?.status;
const reasonOf = ({ driver }: TestTerminal) => driver.observe()?.reason;
/** Long enough for the journal's line on a busy machine. */
const timing = { loginSilenceMs: 4_000 };
const logIn = (terminal: TestTerminal, login: string) =>
  terminal.run(TaskType.ACCOUNT_LOGIN, { login }, { secrets: { password: terminal.account.password } });
describe.concurrent('a terminal that came up on another account', () => {
  test.each([
    ['another login', '9999@Test-Demo'],
    ['the same login on another server', '5001@Other-Live'],
  ])('(%s) is installed and not active', async (_, authorizedAs) => {
    const terminal = await host.createTerminal({ faults: { authorized_as: authorizedAs }, timing });
    const outcome = await terminal.install();
    expect(outcome.steps.find(({ step }) => step === 'log_in')).toMatchObject({ ok: false, code: 'E_TIMEOUT' });
    expect(statusOf(terminal)).toBe(TerminalStatus.LOGIN_FAILED);
    expect(reasonOf(terminal)).toContain(`${authorizedAs.replace('@', ' on ')}, not 5001 on Test-Demo`);
    expect(terminal.statuses).not.toContain(TerminalStatus.ACTIVE);
  });

  test('a terminal that came up on another account has not done the login that was asked for, and keeps the account that it had', async () => {
    const terminal = await host.createTerminal();
    await terminal.install();
    await host.reopen(terminal, { faults: { authorized_as: '5001@Test-Demo' }, timing });
    const outcome = await logIn(terminal, '5002');
    expect(outcome.kind).toBe('failed');
    const data = { login: '5001', server_name: 'Test-Demo', connected: true };
    expect(outcome.steps.at(-1)).toMatchObject({ ok: false, code: 'E_TIMEOUT', data });
    expect((await host.readRecord(terminal)).account).toEqual({ login: '5001', server_name: 'Test-Demo' });
  });
});

const goOver = (terminal: TestTerminal) =>
  host.say(terminal, ["'9999': authorized on Test-Demo through Harbour (ping: 7.00 ms, build 5430)"]);
const createTrading = async (faults = {}): Promise<TestTerminal> => {
  const terminal = await host.createTerminal({ faults, timing });
  await terminal.install();
  expect((await terminal.run(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 })).kind).toBe('completed');
  return terminal;
};
const switchOf = ({ driver }: TestTerminal) => driver.observe()?.trading?.trading_reason;

test('a terminal that goes over to another account while its experts trade has trading switched off at once, until its owner has logged in and switched it on again', async () => {
  const terminal = await createTrading();
  const pid = await host.getPid(terminal);
  goOver(terminal);
  await waitFor(() => switchOf(terminal) === 'terminal_switch');
  expect(statusOf(terminal)).toBe(TerminalStatus.LOGIN_FAILED);
  expect(reasonOf(terminal)).toContain('Another account is logged in: 9999 on Test-Demo');
  expect(reasonOf(terminal)).toContain('Algo trading was switched off.');
  expect(await host.getPid(terminal)).toBe(pid);
  const on = await terminal.run(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 });
  expect(on.steps.at(-1)).toMatchObject({ ok: false, code: 'E_AUTH' });
  const login = await logIn(terminal, '5001');
  expect(login.steps.at(-1)?.data).toMatchObject({ connected: true, trading_reason: 'terminal_switch' });
  expect(statusOf(terminal)).toBe(TerminalStatus.ACTIVE);
  await terminal.run(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 });
  expect(terminal.driver.observe()?.trading?.trading_allowed).toBe(true);
});

test('a terminal that goes over to another account while its experts trade is ended where its button is not obeyed, and starts again with trading off', async () => {
  const terminal = await createTrading({ algo_trading: true });
  const pid = await host.getPid(terminal);
  await host.reopen(terminal, { timing: { ...timing, toggleMs: 300 } });
  await terminal.driver.reattach();
  goOver(terminal);
  await waitFor(async () => {
    if (terminal.driver.isAlive()) return (await host.getPid(terminal)) !== pid;
    await terminal.driver.restart();
    return false;
  });
  await waitFor(() => statusOf(terminal) === TerminalStatus.ACTIVE && switchOf(terminal) === 'terminal_switch');
  expect((await host.readRecord(terminal)).allowsAlgoTrading).toBe(false);
  // No crash is reported.
  expect(terminal.statuses).not.toContain(TerminalStatus.DISCONNECTED);
});

test('a terminal whose server is given by its address is on another account where the server behind it is another one than at its first login', async () => {
  const terminal = await host.createTerminal({ timing });
  await terminal.install();
  const address = (await readFile(host.networkFile, 'utf8')).trim();
  const servers = [{ name: 'My broker', address }];
  expect((await terminal.run(TaskType.ACCOUNT_SERVER, { servers })).kind).toBe('completed');
  const { password } = terminal.account;
  const login = await terminal.run(TaskType.ACCOUNT_LOGIN, { server_name: 'My broker' }, { secrets: { password } });
  expect(login.kind, JSON.stringify(login.steps)).toBe('completed');
  const { account } = await host.readRecord(terminal);
  expect(account).toMatchObject({ login: '5001', server_name: 'My broker', seen: { address } });
  host.say(terminal, ["'5001': authorized on Other-Live through Harbour (ping: 7.00 ms, build 5430)"]);
  await waitFor(() => statusOf(terminal) === TerminalStatus.LOGIN_FAILED);
  expect(reasonOf(terminal)).toContain(`5001 on Other-Live, not 5001 on ${account!.seen!.server}`);
  const again = await terminal.run(TaskType.ACCOUNT_LOGIN, {}, { secrets: { password } });
  expect(again.kind, JSON.stringify(again.steps)).toBe('completed');
  expect(statusOf(terminal)).toBe(TerminalStatus.ACTIVE);
});

test('two logins close together are distinguished: what the journal says about the first is not the end of the second', async () => {
  const faults = { authorized_as: '5001@Test-Demo' };
  const terminal = await host.createTerminal({ faults, timing: { loginSilenceMs: 60_000 } });
  await terminal.install();
  const login = logIn(terminal, '5002');
  await waitFor(() => reasonOf(terminal)?.includes('not 5002 on Test-Demo') === true);
  host.say(terminal, ["'5001': authorization on Test-Demo failed (Invalid account)"]);
  host.say(terminal, ["'5002': authorized on Test-Demo through Harbour (ping: 7.00 ms, build 5430)"]);
  host.say(terminal, ["'5002': trading has been enabled - hedging mode"]);
  const outcome = await login;
  expect(outcome.kind, JSON.stringify(outcome.steps)).toBe('completed');
  expect(outcome.steps.at(-1)?.data).toMatchObject({ login: '5002', ping_ms: 7 });
  expect(statusOf(terminal)).toBe(TerminalStatus.ACTIVE);
  expect((await host.readRecord(terminal)).account).toEqual({ login: '5002', server_name: 'Test-Demo' });
});

const own = { login: '5001', server: 'Test-Demo' };
const stateOf = (login: string, server: string, account: Parameters<typeof toOwnLogin>[1] = own) =>
  toOwnLogin({ state: 'in', login, server, pingMs: null }, account).state;

test('an account is its login and its server together', () => {
  expect(stateOf('5001', 'Test-Demo')).toBe('in');
  expect(stateOf('5001', 'test-demo')).toBe('in');
  expect(stateOf('5001', 'Test-Live')).toBe('elsewhere');
  expect(stateOf('5002', 'Test-Demo')).toBe('elsewhere');
  expect(stateOf('5001', 'Test-Demo\u202e')).toBe('elsewhere');
  expect(stateOf('5001', 'Test-Demo', { ...own, login: '05001' })).toBe('in');
});

test('an account whose server was given by its address is known by its login, and a terminal without one takes any', () => {
  expect(stateOf('5001', 'Whatever', { ...own, server: null })).toBe('in');
  expect(stateOf('5002', 'Whatever', { ...own, server: null })).toBe('elsewhere');
  expect(stateOf('5002', 'Whatever', null)).toBe('in');
});

test('an account is not touched by what the journal says of another one', () => {
  const failed: JournalEvent = { kind: 'authorization_failed', login: '5002', server: 'Test-Demo', reason: 'no' };
  expect([isOfAnother(failed, own), isOfAnother({ ...failed, login: '5001' }, own)]).toEqual([true, false]);
  expect(isOfAnother({ kind: 'shutdown' }, own)).toBe(false);
  expect(isOfAnother(failed, null)).toBe(false);
});
