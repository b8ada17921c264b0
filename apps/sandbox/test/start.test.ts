import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '@berth/testing/wait-for';
import { readJournal, readUtf16, waitForLine, sandbox, useSandbox } from './sandbox.ts';

useSandbox();

/** Builds that say at the start where the switch stands. */
const OLD = { switch_line: true };

const LINE = /^[A-Z]{2}\t[012]\t\d\d:\d\d:\d\d\.\d{3}\t[A-Za-z]+\t.+$/;

test('the journal has five columns, and its first line names the build', async () => {
  const root = sandbox.install();
  const terminal = sandbox.startTerminal(root);
  await waitForLine(root, 'started for');
  expect(await terminal.stop()).toEqual({ code: 0, signal: null });
  const lines = readJournal(root);
  expect(lines.filter((line) => !LINE.test(line))).toEqual([]);
  expect(lines[0]).toMatch(/\tTerminal\tBerth Sandbox x64 build \d+ started for /);
  expect(lines.at(-1)).toContain('shutdown with 0');
});

test('a second terminal of the same folder exits with 0 and leaves no trace', async () => {
  const root = sandbox.install();
  sandbox.startTerminal(root, { faults: OLD });
  await waitForLine(root, 'automated trading is');
  const before = readJournal(root).length;
  const second = sandbox.startTerminal(root, { args: [sandbox.writeStartFile('[Common]\r\n')] });
  expect(await second.exit).toEqual({ code: 0, signal: null });
  expect(readJournal(root)).toHaveLength(before);
});

test('a terminal that was killed does not keep its folder locked', async () => {
  const root = sandbox.install();
  const first = sandbox.startTerminal(root, { faults: OLD });
  await waitForLine(root, 'automated trading is');
  await first.kill();
  const before = readJournal(root).length;
  sandbox.startTerminal(root);
  await waitFor(() => readJournal(root).length > before, { what: 'the second start' });
});

test.each([
  ['UTF-8', (text: string) => Buffer.from(text)],
  ['UTF-8 with a mark', (text: string) => Buffer.from(`\ufeff${text}`)],
  ['UTF-16LE', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
])('a start file in %s is read', async (_, encode) => {
  const root = sandbox.install();
  writeFileSync(join(sandbox.driveC, 'x.ini'), encode('; comment\r\n[Experts]\r\nEnabled=1\r\n'));
  const terminal = sandbox.startTerminal(root, { faults: OLD, args: ['/config:C:\\x.ini'] });
  await waitForLine(root, 'automated trading is enabled');
  await waitForLine(root, 'successfully initialized from start config "C:\\x.ini"');
  await waitForLine(root, 'launched with C:\\x.ini');
  await terminal.stop();
});

test.each([
  ['missing', '/config:C:\\none.ini'],
  ['wrapped in quotes', '/config:"C:\\x.ini"'],
  ['outside of the drive', '/config:C:\\..\\x.ini'],
])('a start file that is %s stops the start with a line that says so', async (_, config) => {
  const root = sandbox.install();
  sandbox.writeStartFile('[Common]\r\n');
  expect((await sandbox.startTerminal(root, { args: [config] }).exit).code).toBeGreaterThan(0);
  const journal = readJournal(root).join('\n');
  expect(journal).toContain(`cannot load config "${config.slice('/config:'.length)}" at start`);
  expect(journal).not.toContain('launched with');
});

test('a unix path as start file is ignored without a word', async () => {
  const root = sandbox.install();
  sandbox.writeStartFile('[Experts]\r\nEnabled=1\r\n');
  const terminal = sandbox.startTerminal(root, { faults: OLD, args: [`/config:${join(sandbox.driveC, 'x.ini')}`] });
  await waitForLine(root, 'automated trading is disabled');
  await terminal.stop();
  expect(readJournal(root).join('\n')).not.toMatch(/config|launched/);
});

test('folders of another case are used and never doubled', async () => {
  const root = sandbox.install();
  renameSync(join(root, 'config'), join(root, 'Config'));
  renameSync(join(root, 'logs'), join(root, 'Logs'));
  renameSync(join(root, 'Bases'), join(root, 'bases'));
  await sandbox.startServer();
  const config = sandbox.writeStartFile('[Common]\r\nLogin=1\r\nPassword=p\r\nServer=S\r\nKeepPrivate=1\r\n');
  const terminal = sandbox.startTerminal(root, { args: [config] });
  await waitFor(() => existsSync(join(root, 'Config/accounts.dat')), { what: 'the saved account' });
  await terminal.stop();
  expect(readdirSync(root).sort()).toEqual(['Config', 'Logs', 'MQL5', 'bases', 'terminal64.exe']);
  expect(existsSync(join(root, 'bases/S/symbols/selected-1.dat'))).toBe(true);
});

test('a clean stop rewrites common.ini over edits made meanwhile, a kill writes nothing', async () => {
  const root = sandbox.install();
  const path = join(root, 'config/common.ini');
  const terminal = sandbox.startTerminal(root, { faults: OLD });
  await waitForLine(root, 'automated trading is');
  writeFileSync(path, '[Experts]\r\nEnabled=1\r\n');
  await terminal.stop();
  expect(readUtf16(path)).toContain('Enabled=0\r\n');

  writeFileSync(path, '[Experts]\r\nEnabled=1\r\n[Mine]\r\nKey=kept\r\n');
  const killed = sandbox.startTerminal(root, { faults: OLD });
  await waitForLine(root, 'automated trading is enabled');
  writeFileSync(path, 'edited');
  await killed.kill();
  expect(readUtf16(path)).toBe(Buffer.from('edited').toString('utf16le'));
});

test('keys of common.ini that the terminal does not know survive a run', async () => {
  const root = sandbox.install();
  const path = join(root, 'config/common.ini');
  writeFileSync(path, '[Mine]\r\nKey=kept\r\n');
  const terminal = sandbox.startTerminal(root, { faults: OLD });
  await waitForLine(root, 'automated trading is');
  await terminal.stop();
  expect(readUtf16(path)).toContain('[Mine]\r\nKey=kept\r\n');
});

test('without /portable the data goes to the folder of a user, and the installation stays untouched', async () => {
  const root = sandbox.install();
  const terminal = sandbox.startTerminal(root, { isPortable: false });
  await terminal.ask({ op: 'web_request_list' });
  await terminal.stop();
  const folder = join(sandbox.driveC, 'users/berth/AppData/Roaming/MetaQuotes/Terminal');
  const [name = ''] = readdirSync(folder);
  expect(name).toMatch(/^[0-9A-F]{32}$/);
  expect(readJournal(join(folder, name)).at(-1)).toContain('shutdown with 0');
  expect(readJournal(root)).toEqual([]);
});

test('/profile chooses a profile that exists and is ignored for one that does not', async () => {
  const root = sandbox.install();
  const profile = join(root, 'MQL5/Profiles/Charts/Night');
  mkdirSync(profile);
  writeFileSync(join(profile, 'order.wnd'), '');
  for (const [name, used] of [
    ['Night', 'Night'],
    ['Nowhere', 'Night'],
    ['../../Charts/Night', 'Night'],
  ]) {
    const terminal = sandbox.startTerminal(root, { args: [`/profile:${name}`] });
    await terminal.ask({ op: 'web_request_list' });
    await terminal.stop();
    expect(readUtf16(join(root, 'config/common.ini'))).toContain(`ProfileLast=${used}\r\n`);
  }
});

test('newer builds do not say at the start where the switch of algo trading stands', async () => {
  const root = sandbox.install();
  const terminal = sandbox.startTerminal(root);
  await terminal.ask({ op: 'web_request_list' });
  await terminal.stop();
  expect(readJournal(root).join('\n')).not.toContain('automated trading');
});
