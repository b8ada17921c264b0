/** What a hostile program may put into the folder of its terminal, and what the driver makes of it. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { appendFile, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TaskType, TerminalStatus } from '@berth/contract';
import { ConfinedFiles } from '@berth/kit';
import { waitFor } from '@berth/testing/wait-for';
import { beforeAll, expect, test } from 'vitest';
import { mt5Dialect } from '../src/platforms/metatrader/dialect.ts';
import { Profile } from '../src/platforms/metatrader/files/profile.ts';
import { toDayFileName } from '../src/platforms/metatrader/journal/journal-line.ts';
import { useSandboxHost, type TestTerminal } from './support/sandbox-host.ts';
import { dataOf, lastOf } from './support/tasks.ts';

const GIB = 1024 ** 3;
const host = useSandboxHost();
let terminal: TestTerminal;
let root: string;
let secret: string;
beforeAll(async () => {
  terminal = await host.installTerminal();
  root = host.toRoot(terminal);
  secret = join(host.folder, 'secret');
  await writeFile(secret, 'AB\t0\t01:02:03.004\tSECRET\tSECRET\r\n', 'utf16le');
});
const readLogs = (payload: object = {}) =>
  terminal.run(TaskType.EA_LOGS, { source: 'experts', date: '2025-01-02', ...payload });
const logOf = (day = '20250102') => join(root, 'MQL5/Logs', `${day}.log`);
const toLine = (text: string) => `AB\t0\t01:02:03.004\tE\t${text}\r\n`;
const today = () => join(root, 'logs', toDayFileName(new Date()));
const install = (name: string) => terminal.installExpert({ name, program: `program ${name}` });

test('a log that is a link, a FIFO or a folder is E_FILE, and says nothing of what is elsewhere', async () => {
  const places = [
    () => symlinkSync(secret, logOf()),
    () => execFileSync('mkfifo', [logOf()]),
    () => mkdirSync(logOf()),
    () => execFileSync('ln', [secret, logOf()]),
  ];
  for (const place of places) {
    rmSync(logOf(), { recursive: true, force: true });
    place();
    const outcome = await readLogs();
    expect(lastOf(outcome)).toMatchObject({ ok: false, code: 'E_FILE' });
    expect(JSON.stringify(outcome)).not.toContain('SECRET');
  }
  rmSync(logOf(), { recursive: true });
  rmSync(join(root, 'MQL5/Logs'), { recursive: true });
  symlinkSync(host.folder, join(root, 'MQL5/Logs'));
  expect(lastOf(await readLogs()).code).toBe('E_FILE');
  rmSync(join(root, 'MQL5/Logs'));
});

test('the end of a log of ten gigabytes is read, and nothing of one without the end of a line', async () => {
  mkdirSync(join(root, 'MQL5/Logs'), { recursive: true });
  writeFileSync(logOf(), '');
  truncateSync(logOf(), 10 * GIB);
  await appendFile(logOf(), `\r\n${toLine('the last')}`, 'utf16le');
  expect(dataOf(await readLogs())).toEqual({ lines: ['01:02:03.004\tE\tthe last'], truncated: true });
  truncateSync(logOf(), 0);
  truncateSync(logOf(), GIB);
  expect(dataOf(await readLogs())).toEqual({ lines: [], truncated: true });
});

test('a journal of odd bytes, half characters and endless lines is followed all the same', async () => {
  await appendFile(today(), Buffer.concat([Buffer.from([0x41, 0xd8, 0x0d]), Buffer.alloc(3 * 1024 * 1024 + 1)]));
  await appendFile(today(), Buffer.from(`\u0000\r\n${"'1': authorized on x through ".repeat(40_000)}\n`, 'utf16le'));
  const many = Array.from({ length: 20_000 }, (_, index) => toLine(`expert E${index} (X,M1) loaded successfully`));
  await appendFile(today(), many.join(''), 'utf16le');
  await appendFile(today(), toLine("'5001': connection to Test-Demo lost"), 'utf16le');
  await waitFor(() => terminal.driver.observe()?.status === TerminalStatus.DISCONNECTED);
  dataOf(await terminal.run(TaskType.ACCOUNT_LOGIN, {}, { secrets: { password: terminal.account.password } }));
  await waitFor(() => terminal.driver.observe()?.status === TerminalStatus.ACTIVE);
});

test('a journal that is swapped for a link is neither read nor followed there, and a start needs its own', async () => {
  const [link, kept] = [today(), `${today()}.kept`];
  renameSync(link, kept);
  symlinkSync(secret, link);
  await appendFile(secret, toLine("'5001': connection to Elsewhere lost"), 'utf16le');
  dataOf(await readLogs());
  await host.reopen(terminal);
  await expect(terminal.driver.reattach()).rejects.toThrow('is not what it should be');
  // Its account is watched all the same.
  expect(terminal.driver.isAlive()).toBe(true);
  expect(JSON.stringify(terminal.observed)).not.toContain('Elsewhere');
  rmSync(link);
  renameSync(kept, link);
  expect(await terminal.driver.reattach()).toBe(true);
});

test('a journal of a terabyte, beside thousands of day files, is read at its end after a restart of the agent', async () => {
  for (let index = 0; index < 5_000; index += 1)
    writeFileSync(join(root, 'logs', `1999${String(index).padStart(4, '0')}.log`), '');
  const file = await open(today(), 'r+');
  await file.truncate(GIB * 1024);
  await file.close();
  const start = `\r\n${toLine('MetaTrader 5 x64 build 4999 started for M')}${toLine("'5001': authorized on Test-Demo")}`;
  await appendFile(today(), start, 'utf16le');
  await host.reopen(terminal);
  expect(await terminal.driver.reattach()).toBe(true);
  await waitFor(() => terminal.driver.observe()?.status === TerminalStatus.ACTIVE);
  rmSync(join(root, 'logs'), { recursive: true });
  dataOf(await terminal.run(TaskType.ACCOUNT_LOGIN, {}, { secrets: { password: terminal.account.password } }));
});

test('a folder of journals that changes without end costs the agent its polls only', async () => {
  const program = `const fs = require('node:fs'); for (;;) { fs.writeFileSync('x', ''); fs.unlinkSync('x'); }`;
  const flood = spawn(process.execPath, ['-e', program], { cwd: join(root, 'logs'), stdio: 'ignore' });
  try {
    await once(flood, 'spawn');
    dataOf(await terminal.run(TaskType.ACCOUNT_LOGIN, {}, { secrets: { password: terminal.account.password } }));
    dataOf(await install('Flooded'));
  } finally {
    const ended = once(flood, 'exit');
    flood.kill('SIGKILL');
    await ended;
  }
});

test('charts that are links, FIFOs, nested without end or far too large are passed over, and not put back', async () => {
  const folder = join(host.folder, 'charts');
  const at = (name: string): string => join(folder, 'MQL5/Profiles/Charts/Default', name);
  mkdirSync(join(at('.'), 'chart5.chr'), { recursive: true });
  writeFileSync(at('chart0.chr'), '<chart>\nid=7\nsymbol=EURUSD\n</chart>\n');
  symlinkSync(secret, at('chart1.chr'));
  execFileSync('mkfifo', [at('chart2.chr')]);
  writeFileSync(at('chart3.chr'), '');
  truncateSync(at('chart3.chr'), 100 * GIB);
  writeFileSync(at('chart4.chr'), `<chart>\n${'<a>\n'.repeat(400_000)}${'</a>\n'.repeat(400_000)}</chart>\n`);
  const order = [0, 1, 2, 3, 4, 5, 6].map((number) => `chart${number}.chr\r\n`).join('');
  writeFileSync(at('order.wnd'), `\ufeff${order}..\\..\\x.chr\r\n`, 'utf16le');
  const files = new ConfinedFiles({ anchor: host.folder, home: folder, root: folder });
  const profile = new Profile(files, mt5Dialect.profiles, mt5Dialect.charts);
  expect((await profile.listCharts()).map(({ file }) => file)).toEqual(['chart0.chr']);
  const undo = await profile.takeSnapshot();
  await profile.remove(await profile.listCharts());
  await undo();
  expect((await profile.listCharts()).map(({ id }) => id)).toEqual(['7']);
  expect(readFileSync(secret, 'utf16le')).not.toContain('EURUSD');
});

test('a program that a chart names elsewhere is not written there, and an order of a gigabyte is refused', async () => {
  await terminal.driver.stop();
  const profile = join(root, 'MQL5/Profiles/Charts/Default');
  const chart = '<chart>\nsymbol=X\n<expert>\nname=Up\npath=..\\..\\..\\x.ex5\n</expert>\n</chart>\n';
  writeFileSync(join(profile, 'chart84.chr'), chart);
  appendFileSync(join(profile, 'order.wnd'), 'chart84.chr\r\n', 'utf16le');
  await host.reopen(terminal);
  await terminal.driver.restart();
  const up = await terminal.run(TaskType.EA_UPDATE, { name: 'Up', file_id: terminal.files.add('climbed') });
  expect(lastOf(up)).toMatchObject({ ok: false, code: 'E_FILE', message: expect.stringContaining('must not climb') });
  truncateSync(join(profile, 'order.wnd'), GIB);
  expect(lastOf(await install('Late'))).toMatchObject({ ok: false, code: 'E_FILE' });
});
