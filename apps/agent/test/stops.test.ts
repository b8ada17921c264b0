/** Stop, start and restart of a terminal on its host: proven, and kept over a restart of the agent. */
import { TaskType, TerminalStatus } from '@berth/contract';
import { waitFor } from '@berth/testing/wait-for';
import { expect, test } from 'vitest';
import { useSandboxHost, type TestTerminal } from './support/sandbox-host.ts';

const host = useSandboxHost();

const installExpert = (terminal: TestTerminal, signal?: AbortSignal) => {
  const payload = { name: 'Trend', symbol: 'EURUSD', period: 'H1', file_id: terminal.files.add('program') };
  return terminal.run(TaskType.EA_INSTALL, payload, signal ? { signal } : {});
};
const succeed = async (terminal: TestTerminal, type: TaskType, payload = {}) => {
  const outcome = await terminal.run(type, payload);
  expect(outcome.kind, JSON.stringify(outcome.steps)).toBe('completed');
  return outcome.steps.at(-1)?.data;
};
const fail = async (terminal: TestTerminal, type: TaskType) => {
  const { kind, steps } = await terminal.run(type);
  expect(kind).toBe('failed');
  return steps.at(-1);
};

test('a stopped terminal stays stopped for every later agent, and a start brings it back as it was', async () => {
  const terminal = await host.installTerminal();
  await installExpert(terminal);
  expect(await succeed(terminal, TaskType.TERMINAL_STOP)).toEqual({ running: false });
  expect(terminal.driver.observe()).toMatchObject({ status: TerminalStatus.STOPPED, reason: 'stopped' });
  await host.reopen(terminal);
  expect(await terminal.driver.reattach()).toBe(false);
  expect([terminal.driver.shouldRun(), terminal.driver.isAlive()]).toEqual([false, false]);
  expect(terminal.driver.observe()).toMatchObject({ status: TerminalStatus.STOPPED, reason: 'stopped' });
  for (const type of [TaskType.SCREENSHOT, TaskType.TERMINAL_RESTART, TaskType.CLOSE_ALL]) {
    expect(await fail(terminal, type)).toMatchObject({
      code: 'E_NOT_RUNNING',
      message: 'The terminal is stopped. Start it first.',
    });
  }
  expect(await succeed(terminal, TaskType.TERMINAL_STOP)).toEqual({ running: false });

  // No password comes along: the host has kept the account.
  const { login, server_name } = terminal.account;
  const started = { running: true, connected: true, login, server_name };
  expect(await succeed(terminal, TaskType.TERMINAL_START)).toMatchObject(started);
  expect(terminal.driver.observe()?.status).toBe(TerminalStatus.ACTIVE);
  expect(terminal.driver.shouldRun()).toBe(true);
  const pid = await host.getPid(terminal);
  expect(await succeed(terminal, TaskType.TERMINAL_START)).toMatchObject(started);
  expect(await host.getPid(terminal)).toBe(pid);
  const charts = await terminal.driver.lookAtCharts?.();
  expect(charts?.map(({ expert }) => expert?.name)).toContain('Trend');
});

test('a restart ends the process and starts another one, logged in', async () => {
  const terminal = await host.installTerminal();
  const before = await host.getPid(terminal);
  expect(await succeed(terminal, TaskType.TERMINAL_RESTART)).toMatchObject({ running: true, connected: true });
  expect(await host.getPid(terminal)).not.toBe(before);
});

test('a stop half-way through an installation of an expert leaves nothing running', async () => {
  const terminal = await host.installTerminal();
  const interrupted = new AbortController();
  const installing = installExpert(terminal, interrupted.signal);
  await waitFor(() => !terminal.driver.isAlive());
  interrupted.abort(new Error('revoked'));
  expect((await installing).kind).toBe('failed');
  expect(await succeed(terminal, TaskType.TERMINAL_STOP)).toEqual({ running: false });
  expect([terminal.driver.shouldRun(), terminal.driver.isAlive()]).toEqual([false, false]);
  expect((await installExpert(terminal)).steps.at(-1)?.code).toBe('E_NOT_RUNNING');
  expect(terminal.driver.isAlive()).toBe(false);
});

test('one that is logged out stays that: a stop does not give it an account to start with', async () => {
  const terminal = await host.installTerminal();
  await succeed(terminal, TaskType.ACCOUNT_LOGOUT);
  expect(terminal.driver.observe()).toMatchObject({ status: TerminalStatus.STOPPED, reason: 'logged out' });
  await succeed(terminal, TaskType.TERMINAL_STOP);
  expect(terminal.driver.observe()?.reason).toBe('logged out');
  expect(await fail(terminal, TaskType.TERMINAL_START)).toMatchObject({ code: 'E_AUTH' });
});

test('without account data nothing is closed, and that is what it says', async () => {
  const terminal = await host.installTerminal();
  expect(await fail(terminal, TaskType.CLOSE_ALL)).toMatchObject({ code: 'E_UNSUPPORTED' });
});
