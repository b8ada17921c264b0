import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '@berth/testing/wait-for';
import { addChart, addExpert, readJournal, toChartText, waitForLine, sandbox, root, useTerminal } from './sandbox.ts';

useTerminal([], { hasServer: false });

test('a hung terminal lives, writes no journal, shows a dialog and ignores a polite stop', async () => {
  const terminal = sandbox.startTerminal(root, { faults: { hang: true } });
  expect(await terminal.ask({ op: 'keys', keys: 'ctrl+e' })).toEqual({ ok: false, error: 'blocked' });
  terminal.child.kill('SIGTERM');
  await terminal.ask({ op: 'web_request_list' });
  terminal.child.kill('SIGTERM');
  expect(await terminal.ask({ op: 'screenshot' })).toHaveProperty('png');
  expect(readdirSync(join(root, 'logs'))).toEqual([]);
  expect((await terminal.kill()).signal).toBe('SIGKILL');
});

test('an update ends the process with 0 and brings up another one without the StartUp expert', async () => {
  await sandbox.startServer();
  addExpert(root, 'Kept');
  addExpert(root, 'Started');
  addChart(root, 'chart01.chr', toChartText('EURUSD', 'Kept'));
  const faults = { live_update_after_ms: 4_000, restart_ms: 50 };
  const startUp = 'Expert=Started\r\nSymbol=GBPUSD';
  const terminal = await sandbox.login(root, { startUp }, { faults });
  expect(await terminal.exit).toEqual({ code: 0, signal: null });
  const countLines = (text: string): number => readJournal(root).filter((line) => line.includes(text)).length;
  await waitFor(() => countLines('authorized on') === 2, { what: 'the second login' });
  const [pid] = sandbox.listProcessesIn(root);
  expect(pid).not.toBe(terminal.child.pid);
  expect(countLines('expert Kept (EURUSD,M15) loaded successfully')).toBe(2);
  expect(countLines('expert Started (GBPUSD,H1) loaded successfully')).toBe(1);
  expect(countLines('LiveUpdate')).toBe(2);
});

test('a crash writes nothing', async () => {
  const terminal = sandbox.startTerminal(root, { faults: { crash_after_ms: 300 } });
  expect((await terminal.exit).signal).toBe('SIGKILL');
  expect(readJournal(root).join('\n')).not.toContain('shutdown');
  expect(existsSync(join(root, 'config/common.ini'))).toBe(false);
});

test('wiped accounts are said so, and the terminal stays logged out', async () => {
  await sandbox.startServer();
  await (await sandbox.login(root, { common: 'KeepPrivate=1' })).stop();
  const terminal = sandbox.startTerminal(root, { faults: { wipe_accounts: true } });
  await waitForLine(root, 'Accounts\tdeleted due security reason');
  await terminal.stop();
  expect(existsSync(join(root, 'config/accounts.dat'))).toBe(false);
  expect(readJournal(root).filter((line) => line.includes('authorized on'))).toHaveLength(1);
});

test('the wizard of a start without an account takes all input but its own', async () => {
  await sandbox.startServer();
  const terminal = sandbox.startTerminal(root, { faults: { wizard: true } });
  const blocked = { ok: false, error: 'blocked' };
  expect(await terminal.ask({ op: 'keys', keys: 'ctrl+e' })).toEqual(blocked);
  expect(await terminal.ask({ op: 'web_request', urls: ['https://a.b'] })).toEqual(blocked);
  expect(await terminal.ask({ op: 'screenshot' })).toMatchObject({ ok: true });
  expect(await terminal.ask({ op: 'open_demo', server: 'S', name: 'A', email: 'a@b.c' })).toMatchObject({ ok: true });
  expect(await terminal.ask({ op: 'keys', keys: 'ctrl+e' })).toEqual({ ok: true });
});

test('a journal that lags holds its lines back until the flush', async () => {
  const terminal = sandbox.startTerminal(root, { faults: { flush_ms: 3_600_000 } });
  await terminal.ask({ op: 'web_request_list' });
  expect(readJournal(root)).toEqual([]);
  await terminal.stop();
  expect(readJournal(root).length).toBeGreaterThan(3);
});

test('text that is no JSON is named as a mistake of its variable', async () => {
  const terminal = sandbox.startTerminal(root, { env: { BERTH_SANDBOX_FAULTS: 'hang' } });
  expect((await terminal.exit).code).toBe(1);
});
