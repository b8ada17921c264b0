import { access, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TaskType, TerminalStatus } from '@berth/contract';
import { describe, expect, test } from 'vitest';
import { waitFor } from '@berth/testing/wait-for';
import { useSandboxHost, type TestTerminal } from './support/sandbox-host.ts';

const host = useSandboxHost();

const installExpert = (terminal: TestTerminal, signal?: AbortSignal) =>
  terminal.installExpert({ name: 'Trend' }, signal && { signal });

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

test('a crash is seen, and a restart brings account, charts and web addresses back', async () => {
  const terminal = await host.installTerminal();
  expect((await installExpert(terminal)).kind).toBe('completed');
  await terminal.run(TaskType.OPTIONS_WEB_REQUEST, { url: 'https://a.example' });
  await host.crash(terminal);
  expect(terminal.driver.observe()?.status).toBe(TerminalStatus.DISCONNECTED);
  expect(terminal.driver.shouldRun()).toBe(true);
  await terminal.driver.restart();
  await waitFor(() => terminal.driver.observe()?.status === TerminalStatus.ACTIVE);
  const { steps } = await terminal.run(TaskType.OPTIONS_WEB_REQUEST, { url: 'https://b.example' });
  expect(steps.at(-1)?.data.urls).toEqual(['https://a.example', 'https://b.example']);
  expect((await terminal.run(TaskType.EA_REMOVE, { name: 'Trend' })).steps.at(-1)?.data.removed).toHaveLength(1);
});

test('a crash before the terminal ever saved its settings does not lose the account', async () => {
  const terminal = await host.installTerminal();
  await host.crash(terminal);
  await terminal.driver.restart();
  await waitFor(() => terminal.driver.observe()?.status === TerminalStatus.ACTIVE);
});

test('a crash in the middle of a task ends the task, and the task can be repeated', async () => {
  const terminal = await host.installTerminal();
  await host.reopen(terminal, { faults: { crash_after_ms: 30, symbol_timeout_ms: 200 } });
  await terminal.driver.reattach();
  const outcome = await installExpert(terminal);
  expect(outcome.kind).toBe('failed');
  expect(outcome.steps.at(-1)?.code).toBe('E_NOT_RUNNING');
  await waitFor(() => !terminal.driver.isAlive());
  await host.reopen(terminal);
  expect(await terminal.driver.reattach()).toBe(false);
  await terminal.driver.restart();
  expect((await installExpert(terminal)).kind).toBe('completed');
});

test('another run of the agent finds the terminal as it is: the same process, its login and its experts', async () => {
  const terminal = await host.installTerminal();
  await installExpert(terminal);
  const pid = await host.getPid(terminal);
  await host.reopen(terminal);
  expect(await terminal.driver.reattach()).toBe(true);
  expect(terminal.driver.observe()?.status).toBe(TerminalStatus.ACTIVE);
  expect(await host.getPid(terminal)).toBe(pid);
  expect((await installExpert(terminal)).kind).toBe('completed');
  expect(await host.getPid(terminal)).toBe(pid);
});

test('another run of the agent finds a terminal whose start was never recorded', async () => {
  const terminal = await host.installTerminal();
  const pid = await host.getPid(terminal);
  const path = join(host.folder, 'terminals', terminal.id, 'terminal.json');
  const record = JSON.parse(await readFile(path, 'utf8')) as object;
  await writeFile(path, JSON.stringify({ ...record, process: null }));
  await host.reopen(terminal);
  expect(await terminal.driver.reattach()).toBe(true);
  expect(await host.getPid(terminal)).toBe(pid);
});

test('another run of the agent does not take a process for the terminal because it has the same number', async () => {
  const terminal = await host.installTerminal();
  const path = join(host.folder, 'terminals', terminal.id, 'terminal.json');
  const { process: running, ...record } = await host.readRecord(terminal);
  await host.crash(terminal);
  const reused = { ...running, id: running!.id.replace(/^\d+/, String(process.pid)) };
  await writeFile(path, JSON.stringify({ ...record, process: reused }));
  await host.reopen(terminal);
  expect(await terminal.driver.reattach()).toBe(false);
  expect(terminal.driver.observe()?.status).toBe(TerminalStatus.DISCONNECTED);
});

test('another run of the agent lists what is installed without asking anybody', async () => {
  const terminal = await host.installTerminal();
  const listed = await host.createRegistry().listInstalled();
  expect(listed).toContainEqual({ id: terminal.id, platform: 'sandbox' });
  await terminal.run(TaskType.TERMINAL_DESTROY);
  expect(await host.createRegistry().listInstalled()).not.toContainEqual({ id: terminal.id, platform: 'sandbox' });
});

test('another run of the agent, asked to stop its terminals, leaves them wanted', async () => {
  const terminal = await host.installTerminal();
  await terminal.driver.stop();
  expect([terminal.driver.isAlive(), terminal.driver.shouldRun()]).toEqual([false, true]);
  await terminal.driver.restart();
  await waitFor(() => terminal.driver.observe()?.status === TerminalStatus.ACTIVE);
});

test('the address of the broker is the current one at the next start of a terminal that an earlier agent left', async () => {
  const right = host.networkFile;
  const terminal = await host.withNetworkFile(join(host.folder, 'old-network'), async () => {
    await writeFile(host.networkFile, '127.0.0.1:1\n');
    const old = await host.createTerminal();
    expect((await old.install()).kind).toBe('completed');
    expect(old.driver.observe()?.status).toBe(TerminalStatus.DISCONNECTED);
    return old;
  });
  expect(host.networkFile).toBe(right);
  await host.reopen(terminal);
  await terminal.driver.reattach();
  await waitFor(() => terminal.driver.observe()?.status === TerminalStatus.DISCONNECTED);
  await host.crash(terminal);
  await terminal.driver.restart();
  await waitFor(() => terminal.driver.observe()?.status === TerminalStatus.ACTIVE);
});

test('installation replaces what a crash left half-copied', async () => {
  const terminal = await host.createTerminal();
  const root = host.toRoot(terminal);
  await mkdir(`${root}.partial/MQL5`, { recursive: true });
  await mkdir(root, { recursive: true });
  await writeFile(join(root, 'terminal64.exe'), 'half');
  expect((await terminal.install()).kind).toBe('completed');
  expect(await readFile(join(root, 'terminal64.exe'), 'utf8')).not.toBe('half');
  expect(await exists(`${root}.partial`)).toBe(false);
});

test('installation of many terminals at once shares one base', async () => {
  await rm(join(host.folder, 'bases'), { recursive: true });
  const terminals = await Promise.all(Array.from({ length: 4 }, () => host.createTerminal()));
  const outcomes = await Promise.all(terminals.map((terminal) => terminal.install()));
  expect(outcomes.map(({ kind }) => kind)).toEqual(['completed', 'completed', 'completed', 'completed']);
  expect(await readdir(join(host.folder, 'bases'))).toHaveLength(1);
});

test('installation of a terminal that hangs fails with a hint, and leaves no process', async () => {
  const timing = { startMs: 700, politeStopMs: 200 };
  const terminal = await host.createTerminal({ faults: { hang: true }, timing });
  const outcome = await terminal.install();
  expect(outcome).toMatchObject({ kind: 'failed' });
  expect(outcome.steps.at(-1)).toMatchObject({ step: 'start_terminal', code: 'E_NOT_RUNNING' });
  expect(outcome.steps.at(-1)?.message).toContain('debugger');
  expect([terminal.driver.isAlive(), terminal.driver.shouldRun()]).toEqual([false, false]);
  expect(terminal.statuses).not.toContain(TerminalStatus.CONNECTING);
  expect((await terminal.run(TaskType.TERMINAL_DESTROY)).kind).toBe('completed');
});

describe('troubles of real terminals', () => {
  test('a terminal that restarts itself is adopted, not started twice', async () => {
    const terminal = await host.installTerminal();
    // Long after the login, also on a slow machine.
    await host.reopen(terminal, { faults: { live_update_after_ms: 4_000, restart_ms: 600 } });
    await terminal.driver.reattach();
    await terminal.run(TaskType.ACCOUNT_LOGIN, {}, { secrets: { password: terminal.account.password } });
    const pid = await host.getPid(terminal);
    let hasDied = false;
    await waitFor(async () => {
      hasDied ||= !terminal.driver.isAlive();
      return (await host.getPid(terminal)) !== pid && terminal.driver.observe()?.status === TerminalStatus.ACTIVE;
    });
    expect(hasDied).toBe(false);
    expect(terminal.statuses.slice(-2)).toEqual([TerminalStatus.CONNECTING, TerminalStatus.ACTIVE]);
  });

  const loseKept = (terminal: TestTerminal) => rm(join(host.folder, 'terminals', terminal.id, 'login.sealed'));
  const loseAccount = async (terminal: TestTerminal): Promise<void> => {
    await loseKept(terminal);
    await rm(join(host.toRoot(terminal), 'config/accounts.dat'));
  };

  test('wiped accounts do no harm to a start that brings the account; else they ask for a login, which works', async () => {
    const terminal = await host.installTerminal();
    await host.reopen(terminal, { faults: { wipe_accounts: true } });
    await terminal.driver.reattach();
    expect((await installExpert(terminal)).kind).toBe('completed');
    expect(terminal.driver.observe()?.status).toBe(TerminalStatus.ACTIVE);
    await terminal.driver.stop();
    await loseKept(terminal);
    await terminal.driver.restart();
    await waitFor(() => terminal.driver.observe()?.status === TerminalStatus.LOGIN_FAILED);
    expect(terminal.driver.observe()?.reason).toContain('deleted its saved accounts');
    const secrets = { password: terminal.account.password };
    expect((await terminal.run(TaskType.ACCOUNT_LOGIN, {}, { secrets })).kind).toBe('completed');
  });

  test('a lost saved password is said at the start', async () => {
    const terminal = await host.installTerminal();
    await terminal.driver.stop();
    await loseAccount(terminal);
    await terminal.driver.restart();
    expect(terminal.driver.observe()).toMatchObject({
      status: TerminalStatus.LOGIN_FAILED,
      reason: expect.stringContaining('password') as string,
    });
  });

  test('folders keep the spelling that the terminal gave them', async () => {
    const terminal = await host.installTerminal();
    const root = host.toRoot(terminal);
    await terminal.driver.stop();
    await rename(join(root, 'config'), join(root, 'Config'));
    await rename(join(root, 'logs'), join(root, 'Logs'));
    await terminal.driver.restart();
    await waitFor(() => terminal.driver.observe()?.status === TerminalStatus.ACTIVE);
    expect((await installExpert(terminal)).kind).toBe('completed');
    expect((await terminal.run(TaskType.ACCOUNT_LOGOUT)).kind).toBe('completed');
    const names = (await readdir(root)).map((name) => name.toLowerCase());
    expect(names).toHaveLength(new Set(names).size);
    expect(await exists(join(root, 'Config/accounts.dat'))).toBe(false);
  });

  test('a journal that is flushed late and in pieces is read all the same', async () => {
    const faults = { flush_ms: 300, partial_lines: true, symbol_timeout_ms: 200 };
    const terminal = await host.installTerminal({ faults, timing: { expertSettleMs: 1_500 } });
    expect(terminal.driver.observe()?.status).toBe(TerminalStatus.ACTIVE);
    expect((await installExpert(terminal)).kind).toBe('completed');
  });

  test('a wizard in front of the screen is reported', async () => {
    const terminal = await host.installTerminal();
    await host.reopen(terminal, { faults: { wizard: true } });
    await terminal.driver.reattach();
    await terminal.driver.stop();
    await loseAccount(terminal);
    await terminal.driver.restart();
    const outcome = await terminal.run(TaskType.OPTIONS_WEB_REQUEST, { url: 'https://a.example' });
    expect(outcome.steps.at(-1)).toMatchObject({
      code: 'E_NOT_RUNNING',
      message: expect.stringContaining('blocked') as string,
    });
    const switched = await terminal.run(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 });
    expect(switched.steps.at(-1)?.data).toMatchObject({ enabled: true, verified: true });
  });
});

test('an abort ends the attempt soon, and the next one succeeds', async () => {
  const terminal = await host.installTerminal();
  const attempt = new AbortController();
  // While the terminal is closed for the change: what it says afterwards may come all at once, and be no news.
  const watch = setInterval(() => terminal.driver.isAlive() || attempt.abort(), 1);
  const outcome = await installExpert(terminal, attempt.signal);
  clearInterval(watch);
  expect(outcome.kind).toBe('failed');
  expect(outcome.steps.at(-1)?.code).toBe('E_TIMEOUT');
  if (!terminal.driver.isAlive()) await terminal.driver.restart();
  expect((await installExpert(terminal)).kind).toBe('completed');
});

test('an abort before the first step does nothing', async () => {
  const terminal = await host.installTerminal();
  const pid = await host.getPid(terminal);
  const outcome = await terminal.run(TaskType.ACCOUNT_LOGOUT, {}, { signal: AbortSignal.abort() });
  expect(outcome).toMatchObject({ kind: 'failed', steps: [{ code: 'E_TIMEOUT' }] });
  expect(await host.getPid(terminal)).toBe(pid);
});
