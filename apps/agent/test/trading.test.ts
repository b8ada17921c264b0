import { TaskType } from '@berth/contract';
import { expect, test } from 'vitest';
import { waitFor } from '@berth/testing/wait-for';
import { findJournalEvent } from '../src/platforms/metatrader/journal/journal-events.ts';
import { toTradingState } from '../src/platforms/metatrader/run/trading.ts';
import { useSandboxHost, type TestTerminal } from './support/sandbox-host.ts';

const host = useSandboxHost();

const allowed = { trading_allowed: true, trading_reason: null };
const closedBy = (trading_reason: string) => ({ trading_allowed: false, trading_reason });
const tradingOf = ({ driver }: TestTerminal) => driver.observe()?.trading;

/** The last step of a task that must have succeeded. */
const run = async (terminal: TestTerminal, type: TaskType, payload: object = {}, password?: string) => {
  const secrets = password === undefined ? {} : { password };
  const outcome = await terminal.run(type, { ...payload }, { secrets });
  expect(outcome.kind, JSON.stringify(outcome.steps)).toBe('completed');
  return outcome.steps.at(-1)!;
};
const installExpert = (terminal: TestTerminal, allow: 0 | 1, name = 'Trend') => {
  const payload = { name, symbol: 'EURUSD', period: 'H1', file_id: terminal.files.add(name) };
  return run(terminal, TaskType.EA_INSTALL, { ...payload, allow_algo_trading: allow });
};

test('whether experts may trade is what the first closed gate says, true with all open, and else unknown', () => {
  const state = (
    isSwitchOn: boolean | null,
    account: Parameters<typeof toTradingState>[0]['account'],
    isExpertAllowed?: boolean,
  ) => toTradingState({ isSwitchOn, account, isExpertAllowed });
  expect(state(true, 'allowed')).toEqual(allowed);
  expect(state(true, 'allowed', true)).toEqual(allowed);
  expect(state(false, 'allowed', true)).toEqual(closedBy('terminal_switch'));
  expect(state(null, null, false)).toEqual(closedBy('expert_permission'));
  expect(state(true, 'investor_password')).toEqual(closedBy('investor_password'));
  expect(state(null, 'account')).toEqual(closedBy('account'));
  for (const unknown of [state(null, null), state(true, null), state(null, 'allowed')]) {
    expect(unknown).toEqual({ trading_allowed: null, trading_reason: null });
  }
});

test('whether experts may trade is read from what real journals say of an account', () => {
  const read = (text: string) => findJournalEvent({ message: `'5001': trading has been ${text}` });
  const [kind, login] = ['account_trading', '5001'];
  expect(read('disabled - investor mode')).toEqual({ kind, login, enabled: false, isInvestor: true });
  expect(read('disabled')).toEqual({ kind, login, enabled: false, isInvestor: false });
  for (const text of ['enabled - hedging mode', 'enabled, demo account - netting mode', 'enabled']) {
    expect(read(text)).toEqual({ kind, login, enabled: true, isInvestor: false });
  }
});

test('whether experts may trade is reported by the tasks about it, and by the terminal', async () => {
  const terminal = await host.createTerminal();
  await terminal.install();
  await waitFor(() => tradingOf(terminal)?.trading_reason === 'terminal_switch');
  const off = await installExpert(terminal, 1);
  expect(off.data).toMatchObject(closedBy('terminal_switch'));
  expect(off.message).toContain('Turn Algo Trading on.');
  const on = await run(terminal, TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 });
  expect(on.data).toEqual({ enabled: true, verified: true, ...allowed });
  await waitFor(() => tradingOf(terminal)?.trading_allowed === true);
  expect((await installExpert(terminal, 1)).data).toMatchObject(allowed);
  expect((await installExpert(terminal, 0, 'Watcher')).data).toMatchObject(closedBy('expert_permission'));
  const update = await run(terminal, TaskType.EA_UPDATE, { name: 'Trend', inputs: { Lots: 2 } });
  expect(update.data).toMatchObject(allowed);
});

test('whether experts may trade is not switched where the terminal does not confirm it, and the task fails with what was seen', async () => {
  const terminal = await host.createTerminal();
  await terminal.install();
  await host.reopen(terminal, { faults: { algo_trading: true, switch_line: true }, timing: { toggleMs: 300 } });
  await run(terminal, TaskType.ACCOUNT_LOGIN, {}, terminal.account.password);
  await run(terminal, TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 });
  const off = await terminal.run(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 0 });
  expect(off.kind).toBe('failed');
  expect(off.steps.at(-1)).toMatchObject({ ok: false, code: 'E_TIMEOUT', data: { enabled: true, verified: false } });
  expect(off.steps.at(-1)?.message).toContain('Algo trading is still on.');
  expect(tradingOf(terminal)?.trading_allowed).toBe(true);
});

test('whether experts may trade is known again after a restart of the agent', async () => {
  const terminal = await host.createTerminal();
  await terminal.install();
  await run(terminal, TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 });
  await host.reopen(terminal);
  expect(await terminal.driver.reattach()).toBe(true);
  expect(tradingOf(terminal)).toEqual(allowed);
});

test("whether experts may trade is false with an investor's password, whatever the switch says", async () => {
  const terminal = await host.createTerminal();
  terminal.account = { ...terminal.account, login: '7001' };
  await terminal.install();
  const login = await run(terminal, TaskType.ACCOUNT_LOGIN, {}, `${terminal.account.password}:investor`);
  expect(login.data).toMatchObject({ connected: true, ...closedBy('terminal_switch') });
  const on = await run(terminal, TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 });
  expect(on.data).toEqual({ enabled: true, verified: true, ...closedBy('investor_password') });
  expect(on.message).toContain('investor (read-only) login');
  await waitFor(() => tradingOf(terminal)?.trading_reason === 'investor_password');
  expect((await installExpert(terminal, 1)).data).toMatchObject(closedBy('investor_password'));
  const own = await run(terminal, TaskType.ACCOUNT_LOGIN, {}, terminal.account.password);
  expect(own.data).toMatchObject(allowed);
});

test('whether experts may trade is unknown where the terminal does not run, and where the broker is not reached', async () => {
  const terminal = await host.createTerminal();
  await terminal.install();
  await run(terminal, TaskType.ACCOUNT_LOGOUT);
  const stopped = await run(terminal, TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 });
  expect(stopped.data).toEqual({ enabled: true, verified: true, trading_allowed: null, trading_reason: null });
});
