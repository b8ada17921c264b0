import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '@berth/testing/wait-for';
import { readJournal, readUtf16, waitForLine, sandbox, useSandbox, type StartOptions } from './sandbox.ts';

useSandbox();

const startWith = (root: string, login: string, password: string, server: string, options: StartOptions = {}) => {
  const text = `[Common]\r\nLogin=${login}\r\nPassword=${password}\r\nServer=${server}\r\nKeepPrivate=1\r\n`;
  return sandbox.startTerminal(root, { ...options, args: [sandbox.writeStartFile(text)] });
};

const countLines = (root: string, text: string): number =>
  readJournal(root).filter((line) => line.includes(text)).length;

test('a login prints who was authorized, the ping, the synchronisation and the permission to trade', async () => {
  const root = sandbox.install();
  await sandbox.startServer();
  await sandbox.login(root);
  await waitForLine(root, "'1001': trading has been enabled - hedging mode");
  const text = readJournal(root).join('\n');
  expect(text).toMatch(
    /\tNetwork\t'1001': authorized on Test-Server through Access Point 1 \(ping: \d+\.\d\d ms, build \d+\)/,
  );
  expect(text).toMatch(/'1001': terminal synchronized with .+: 0 positions, 0 orders, \d+ symbols, 0 spreads/);
  expect(text).not.toContain('right-horse');
});

test('the second login of an account names the first', async () => {
  const root = sandbox.install();
  await sandbox.startServer();
  await (await sandbox.login(root)).stop();
  await sandbox.login(root);
  await waitForLine(root, "'1001': previous successful authorization performed from 127.0.0.1 on ");
});

test('a wrong password is an invalid account, and is not tried again', async () => {
  const root = sandbox.install();
  await sandbox.startServer();
  await (await sandbox.login(root)).stop();
  startWith(root, '1001', 'wrong', 'Test-Server');
  await waitForLine(root, "'1001': authorization on Test-Server failed (Invalid account)");
  expect(readJournal(root).find((line) => line.includes('failed (Invalid'))).toMatch(/^[A-Z]{2}\t2\t/);
  expect(existsSync(join(root, 'config/accounts.dat'))).toBe(false);
});

test('an investor password logs in without the right to trade', async () => {
  const root = sandbox.install();
  await sandbox.startServer();
  await (await sandbox.login(root)).stop();
  startWith(root, '1001', 'right-horse:investor', 'Test-Server');
  await waitForLine(root, "'1001': trading has been disabled - investor mode");
});

test('an unknown server name gives no network line at all', async () => {
  const root = sandbox.install();
  await sandbox.startServer();
  const terminal = startWith(root, '1', 'p', 'Unknown-Broker');
  // A demo account on the same terminal proves that its network works and that it had its chance.
  await terminal.ask({ op: 'open_demo', server: 'Known', name: 'A', email: 'a@b.c' });
  await terminal.stop();
  expect(readJournal(root).join('\n')).not.toContain('Unknown-Broker');
});

test.each(['Unreachable-Broker', '127.0.0.1:9'])('no connection to %s is said so and tried again', async (server) => {
  const root = sandbox.install();
  await sandbox.startServer();
  startWith(root, '1', 'p', server);
  await waitFor(() => countLines(root, `'1': no connection to ${server}`) >= 2, { what: 'two attempts' });
});

test('a server that is written as host:port is reached at that address', async () => {
  const root = sandbox.install();
  const { address } = await sandbox.startServer();
  rmSync(sandbox.networkFile);
  startWith(root, '77', 'p', address);
  await waitForLine(root, "'77': authorized on BerthSandbox-Demo through");
});

test('a lost connection is said so, and the server is found again on another port', async () => {
  const root = sandbox.install();
  const server = await sandbox.startServer();
  await sandbox.login(root);
  await server.stop();
  await waitForLine(root, "'1001': connection to Test-Server lost");
  const next = await sandbox.startServer({ BERTH_SANDBOX_PORT: '0' });
  writeFileSync(sandbox.networkFile, next.address);
  await waitFor(() => countLines(root, 'authorized on Test-Server') === 2, { what: 'the second login' });
});

test('KeepPrivate saves the password, unreadable, and the next start logs in by itself', async () => {
  const root = sandbox.install();
  await sandbox.startServer();
  await (await sandbox.login(root, { common: 'KeepPrivate=1' })).stop();
  const saved = join(root, 'config/accounts.dat');
  expect(readFileSync(saved).includes('right-horse')).toBe(false);
  expect(statSync(saved).mode & 0o777).toBe(0o600);
  expect(readUtf16(join(root, 'config/common.ini'))).not.toContain('right-horse');
  sandbox.startTerminal(root);
  await waitFor(() => countLines(root, 'authorized on Test-Server') === 2, { what: 'the second login' });
});

test('without KeepPrivate nothing is saved and the next start stays logged out', async () => {
  const root = sandbox.install();
  await sandbox.startServer();
  await (await sandbox.login(root)).stop();
  expect(existsSync(join(root, 'config/accounts.dat'))).toBe(false);
  const terminal = sandbox.startTerminal(root);
  await terminal.ask({ op: 'web_request_list' });
  await terminal.stop();
  expect(countLines(root, 'authorized on')).toBe(1);
});

test('/login chooses among saved accounts', async () => {
  const root = sandbox.install();
  await sandbox.startServer();
  for (const login of ['11', '22']) {
    const terminal = startWith(root, login, 'p', 'S');
    await waitForLine(root, `'${login}': authorized`);
    await terminal.stop();
  }
  sandbox.startTerminal(root, { args: ['/login:11'] });
  await waitFor(() => countLines(root, "'11': authorized") === 2, { what: 'the login' });
});

test('saved accounts that were copied from another folder are deleted with a word', async () => {
  const [root, copy] = [sandbox.install('t'), sandbox.install('u')];
  await sandbox.startServer();
  await (await sandbox.login(root, { common: 'KeepPrivate=1' })).stop();
  const stolen = join(copy, 'config/accounts.dat');
  copyFileSync(join(root, 'config/accounts.dat'), stolen);
  copyFileSync(join(root, 'config/common.ini'), join(copy, 'config/common.ini'));
  sandbox.startTerminal(copy);
  await waitForLine(copy, 'Accounts\tdeleted due security reason');
  expect(existsSync(stolen)).toBe(false);
});

test('a login to another account switches algo trading off, and the file says so after a clean stop', async () => {
  const root = sandbox.install();
  await sandbox.startServer();
  const terminal = await sandbox.login(root, { experts: 'Enabled=1\r\nAccount=1' });
  await waitForLine(root, 'automated trading is disabled because the account has been changed');
  await terminal.stop();
  expect(readUtf16(join(root, 'config/common.ini'))).toContain('Enabled=0\r\nAccount=1\r\n');
});

test('Account=0 keeps algo trading through the login', async () => {
  const root = sandbox.install();
  await sandbox.startServer();
  await (await sandbox.login(root, { experts: 'Enabled=1\r\nAccount=0' })).stop();
  expect(readJournal(root).join('\n')).not.toContain('automated trading is disabled');
  expect(readUtf16(join(root, 'config/common.ini'))).toContain('Enabled=1\r\nAccount=0\r\n');
});

test('the ping is reported again and again', async () => {
  const root = sandbox.install();
  await sandbox.startServer();
  await sandbox.login(root, {}, { faults: { ping_every_ms: 50 } });
  await waitFor(() => countLines(root, "'1001': ping to current access point Access Point 1 is ") >= 2, {
    what: 'two pings',
  });
});
