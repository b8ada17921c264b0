/** It cannot be determined whether a terminal has saved its password: every start specifies it, until it is refused. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TaskType, TerminalStatus } from '@berth/contract';
import { expect, test } from 'vitest';
import { waitFor } from '@berth/testing/wait-for';
import { KeptLogin } from '../src/platforms/metatrader/run/kept-login.ts';
import { useSandboxHost, type HostOptions, type TestTerminal } from './support/sandbox-host.ts';

const host = useSandboxHost();

/** While the broker's address is hidden, no terminal reaches it. */
const withBrokerAway = async <Result>(act: () => Promise<Result>): Promise<Result> => {
  await rename(host.networkFile, `${host.networkFile}.away`);
  try {
    return await act();
  } finally {
    await rename(`${host.networkFile}.away`, host.networkFile);
  }
};

const statusOf = ({ driver }: TestTerminal) => driver.observe()?.status;
const toFolder = ({ id }: TestTerminal) => join(host.folder, 'terminals', id);
const holdsKept = async (terminal: TestTerminal): Promise<boolean> =>
  (await readdir(toFolder(terminal))).includes('login.sealed');

const createOffline = async (options: HostOptions = {}): Promise<TestTerminal> => {
  const terminal = await host.createTerminal(options);
  expect((await terminal.install()).kind).toBe('completed');
  expect(statusOf(terminal)).toBe(4);
  return terminal;
};
/** What the trading server said stays the reason; that nothing is saved any more only follows from it. */
const NOT_TRIED_AGAIN = /refused the login \(Invalid account\)\..* The refused password is not tried again\.$/;
const kill = async (terminal: TestTerminal): Promise<void> => {
  await host.crash(terminal);
};
const holdsPassword = async (folder: string, password: string): Promise<boolean> => {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    // A draft may have become its file meanwhile, which the next look sees.
    const bytes = await readFile(join(entry.parentPath, entry.name)).catch(() => Buffer.from(password));
    if (bytes.includes(password) || bytes.includes(Buffer.from(password, 'utf16le'))) return true;
  }
  return false;
};

test('a terminal that never reached its broker logs in after a crash, once the broker is there, and after the next one', async () => {
  const terminal = await withBrokerAway(async () => {
    const offline = await createOffline();
    await kill(offline);
    await offline.driver.restart();
    await waitFor(() => statusOf(offline) === 4);
    expect(offline.driver.observe()?.reason).toContain('No connection');
    await waitFor(async () => !(await holdsPassword(join(host.folder, 'terminals'), offline.account.password)));
    await kill(offline);
    return offline;
  });
  await terminal.driver.restart();
  await waitFor(() => statusOf(terminal) === 3);
  expect(await holdsKept(terminal)).toBe(true);
  await kill(terminal);
  await rm(join(host.toRoot(terminal), 'config/accounts.dat'));
  await terminal.driver.restart();
  await waitFor(() => statusOf(terminal) === 3);
});

test('a terminal that never reached its broker logs in after a restart of the agent and the machine', async () => {
  const terminal = await withBrokerAway(async () => {
    const offline = await createOffline();
    await kill(offline);
    return offline;
  });
  await host.reopen(terminal);
  expect(await terminal.driver.reattach()).toBe(false);
  await terminal.driver.restart();
  await waitFor(() => statusOf(terminal) === 3);
});

test('a terminal that never reached its broker keeps trying after a task that restarts it, at the address that was given meanwhile', async () => {
  const terminal = await withBrokerAway(async () => {
    const offline = await createOffline();
    const address = (await readFile(`${host.networkFile}.away`, 'utf8')).trim();
    const servers = [{ name: offline.account.server_name, address }];
    expect((await offline.run(TaskType.ACCOUNT_SERVER, { servers })).kind).toBe('completed');
    const file_id = offline.files.add('program');
    const payload = { name: 'Trend', symbol: 'EURUSD', period: 'H1', file_id };
    expect((await offline.run(TaskType.EA_INSTALL, payload)).kind).toBe('completed');
    await waitFor(() => statusOf(offline) === 3);
    return offline;
  });
  const { login, server_name } = terminal.account;
  expect(await host.readRecord(terminal)).toMatchObject({ account: { login, server_name } });
});

test('a terminal that never reached its broker that restarts itself is started again with its account', async () => {
  const terminal = await withBrokerAway(() =>
    createOffline({ faults: { live_update_after_ms: 400, restart_ms: 300 } }),
  );
  const pid = await host.getPid(terminal);
  await waitFor(async () => !terminal.driver.isAlive() || (await host.getPid(terminal)) !== pid);
  await host.reopen(terminal);
  await terminal.driver.reattach();
  await waitFor(async () => {
    if (!terminal.driver.isAlive()) await terminal.driver.restart();
    return statusOf(terminal) === 3;
  });
});

test('a terminal that never reached its broker keeps another password through silence, and the former one until the other has succeeded', async () => {
  const terminal = await host.createTerminal();
  await terminal.install();
  const { password } = terminal.account;
  const kept = new KeptLogin({ folder: toFolder(terminal) });
  await withBrokerAway(async () => {
    for (const wrong of ['another', 'a third']) {
      await terminal.run(TaskType.ACCOUNT_LOGIN, {}, { secrets: { password: wrong } });
      expect(await kept.find()).toMatchObject({ password: wrong, formerPassword: password });
    }
    await kill(terminal);
    await host.reopen(terminal);
  });
  await terminal.driver.restart();
  await waitFor(() => statusOf(terminal) === TerminalStatus.LOGIN_FAILED);
  await waitFor(async () => (await kept.find())?.password === password);
  await kill(terminal);
  await terminal.driver.restart();
  await waitFor(() => statusOf(terminal) === TerminalStatus.ACTIVE);
  const { login, server_name } = terminal.account;
  expect(await kept.find()).toEqual({ login, password, serverName: server_name });
});

test('a terminal that is started again by a task says that its login was refused, not that no password is saved', async () => {
  const terminal = await host.createTerminal();
  terminal.account = { ...terminal.account, password: 'wrong' };
  expect((await terminal.install()).kind).toBe('completed');
  for (const type of [TaskType.TERMINAL_RESTART, TaskType.TERMINAL_RESTART]) {
    await terminal.run(type);
    expect(terminal.driver.observe()).toMatchObject({
      status: TerminalStatus.LOGIN_FAILED,
      reason: expect.stringMatching(NOT_TRIED_AGAIN),
    });
  }
});

test('a terminal that never reached its broker is not logged in again after a refusal, nor after a logout', async () => {
  const refused = await host.createTerminal();
  await refused.install();
  const other = await withBrokerAway(async () => {
    const offline = await host.createTerminal();
    offline.account = { ...refused.account, password: 'wrong' };
    expect((await offline.install()).kind).toBe('completed');
    return offline;
  });
  await waitFor(() => statusOf(other) === 6);
  await waitFor(async () => !(await holdsKept(other)));
  await kill(other);
  await other.driver.restart();
  expect(other.driver.observe()).toMatchObject({
    status: TerminalStatus.LOGIN_FAILED,
    reason: expect.stringMatching(NOT_TRIED_AGAIN),
  });

  const gone = await withBrokerAway(async () => {
    const offline = await createOffline();
    expect(await holdsKept(offline)).toBe(true);
    await offline.run(TaskType.ACCOUNT_LOGOUT);
    return offline;
  });
  expect(await holdsKept(gone)).toBe(false);
});

test('a terminal that never reached its broker does not open what another terminal or another host keeps', async () => {
  const [one, two] = await withBrokerAway(async () => [await createOffline(), await createOffline()] as const);
  await waitFor(() => statusOf(one) === 3 && statusOf(two) === 3);
  const sealed = await withBrokerAway(async () => {
    const third = await createOffline();
    const bytes = await readFile(join(toFolder(third), 'login.sealed'), 'utf8');
    expect(bytes).not.toContain(third.account.password);
    await kill(third);
    return third;
  });
  const home = { folder: toFolder(sealed) };
  expect(await new KeptLogin(home).find()).toMatchObject({ password: sealed.account.password });
  const elsewhere = join(host.folder, 'copied', sealed.id);
  // Only what is read: beside it the agent notes in the terminal's record that it has ended, by way of a draft.
  await mkdir(elsewhere, { recursive: true });
  await copyFile(join(toFolder(sealed), 'login.sealed'), join(elsewhere, 'login.sealed'));
  expect(await new KeptLogin({ ...home, folder: elsewhere }).find()).toBeUndefined();
  await copyFile(join(toFolder(sealed), 'login.sealed'), join(toFolder(one), 'login.sealed'));
  expect(await new KeptLogin({ ...home, folder: toFolder(one) }).find()).toBeUndefined();
});

test('a login whose line came while the agent stood still is no silence', async () => {
  const silenceMs = 3_000;
  const terminal = await host.createTerminal({ timing: { loginSilenceMs: silenceMs } });
  terminal.account.server_name = 'UnknownX';
  const outcome = terminal.install();
  await waitFor(() => statusOf(terminal) === 2, { what: 'the start' });
  host.say(terminal, ["'5001': authorized on UnknownX"]);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, silenceMs);
  expect((await outcome).steps.find(({ step }) => step === 'log_in')).toMatchObject({ ok: true });
  expect(terminal.statuses).not.toContain(6);
});

test('a server that does not answer costs no password, and its address is asked for', async () => {
  const terminal = await host.createTerminal({ timing: { loginSilenceMs: 1_000 } });
  terminal.account.server_name = 'UnknownZ';
  await terminal.install();
  await waitFor(() => terminal.driver.observe()?.reason?.includes('host:port') === true);
  await kill(terminal);
  await terminal.driver.restart();
  expect(await holdsKept(terminal)).toBe(true);
});

test('a login whose password has to be changed is none, although the server let it in', async () => {
  const terminal = await host.createTerminal();
  terminal.account.server_name = 'UnknownY';
  const logs = join(host.toRoot(terminal), 'logs');
  const countStarts = () => {
    const [file] = existsSync(logs) ? readdirSync(logs).sort().slice(-1) : [];
    return file === undefined ? 0 : readFileSync(join(logs, file), 'utf16le').split('started for').length - 1;
  };
  const install = terminal.install();
  await waitFor(() => countStarts() === 1);
  host.say(terminal, ["'5001': authorized on UnknownY"]);
  await install;
  const login = terminal.run(TaskType.ACCOUNT_LOGIN, {}, { secrets: { password: 'another-password' } });
  await waitFor(() => countStarts() === 2);
  host.say(terminal, ["'5001': authorized on UnknownY"]);
  await waitFor(() => statusOf(terminal) === TerminalStatus.ACTIVE);
  host.say(terminal, ["'5001': master password must be changed"]);
  expect((await login).steps.at(-1)).toMatchObject({ step: 'log_in', ok: false, code: 'E_AUTH' });
  expect(statusOf(terminal)).toBe(TerminalStatus.LOGIN_FAILED);
});

test.each([
  ['mt5', "'5001': authorization on Test-Demo failed (Invalid account)"],
  ['mt4', "'5001': connect failed [Invalid account]"],
] as const)(
  'a terminal that was logged in and is refused later does not try what it had saved again (%s)',
  async (platform, refusal) => {
    const terminal = await host.createTerminal({ isMt4: platform === 'mt4' });
    await terminal.install();
    const saved = join(
      host.toRoot(terminal, platform),
      platform === 'mt4' ? 'config/accounts.ini' : 'config/accounts.dat',
    );
    expect(await readFile(saved)).not.toHaveLength(0);
    host.say(terminal, [refusal], platform);
    await waitFor(() => statusOf(terminal) === TerminalStatus.LOGIN_FAILED);
    await waitFor(async () => !(await holdsKept(terminal)));
    await kill(terminal);
    await terminal.driver.restart();
    const reason = expect.stringMatching(NOT_TRIED_AGAIN) as string;
    expect(terminal.driver.observe()).toMatchObject({ status: TerminalStatus.LOGIN_FAILED, reason });
    await expect(readFile(saved)).rejects.toThrow('ENOENT');
    const again = await terminal.run(TaskType.ACCOUNT_LOGIN, {});
    expect(again.steps.at(-1)).toMatchObject({ ok: false, code: 'E_AUTH' });
    const { password } = terminal.account;
    const login = await terminal.run(TaskType.ACCOUNT_LOGIN, {}, { secrets: { password } });
    expect(login.kind, JSON.stringify(login.steps)).toBe('completed');
    await kill(terminal);
    await terminal.driver.restart();
    await waitFor(() => statusOf(terminal) === TerminalStatus.ACTIVE);
  },
);

const restartWithoutSaved = async (terminal: TestTerminal): Promise<void> => {
  // Like a terminal that was configured to save no password, whose file of accounts exists nevertheless.
  await writeFile(join(host.toRoot(terminal), 'config/accounts.dat'), '');
  await terminal.driver.restart();
};

test('a terminal that was logged in comes back after a restart although its file of accounts has no password', async () => {
  const terminal = await host.createTerminal();
  await terminal.install();
  await kill(terminal);
  await restartWithoutSaved(terminal);
  await waitFor(() => statusOf(terminal) === 3);
});

test('a terminal that was logged in comes back to its own account after a login to another one that nobody answered', async () => {
  const terminal = await host.createTerminal();
  await terminal.install();
  await withBrokerAway(async () => {
    const secrets = { password: 'other-secret' };
    const login = await terminal.run(TaskType.ACCOUNT_LOGIN, { login: '5009' }, { secrets });
    expect(login.kind).toBe('failed');
    await kill(terminal);
  });
  await restartWithoutSaved(terminal);
  await waitFor(() => statusOf(terminal) === 3);
  expect((await host.readRecord(terminal)).account).toMatchObject({ login: '5001' });
});

test('a terminal that was logged in comes back to the account that it was logged in to last, and to a demo account that was opened', async () => {
  const terminal = await host.createTerminal();
  await terminal.install();
  const login = await terminal.run(TaskType.ACCOUNT_LOGIN, { login: '5002' }, { secrets: { password: 'secret-of-2' } });
  expect(login.kind).toBe('completed');
  await kill(terminal);
  await restartWithoutSaved(terminal);
  await waitFor(() => statusOf(terminal) === 3);
  expect((await host.readRecord(terminal)).account).toMatchObject({ login: '5002' });
  const form = { server_name: 'Test-Demo', name: 'Ada', email: 'ada@example.org' };
  const demo = await terminal.run(TaskType.ACCOUNT_OPEN_DEMO, form);
  expect(demo.kind, JSON.stringify(demo.steps)).toBe('completed');
  await kill(terminal);
  await restartWithoutSaved(terminal);
  await waitFor(() => statusOf(terminal) === 3);
  expect((await host.readRecord(terminal)).account).toMatchObject({ login: demo.steps.at(-1)?.data.login });
});
