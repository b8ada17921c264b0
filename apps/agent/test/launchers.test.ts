import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { sleep } from '@berth/kit';
import { waitFor } from '@berth/testing/wait-for';
import { expect, test } from 'vitest';
import { LauncherError, type ProcessHandle, type Processes, type Program } from '../src/launchers/launcher.ts';
import { PlainProcesses } from '../src/launchers/process/plain-processes.ts';
import { createProcessLauncher } from '../src/launchers/process/process-launcher.ts';
import { listProcessesIn } from '../src/launchers/process/process-walk.ts';
import { askSocket } from '../src/launchers/process/socket-screen.ts';
import { ensureBaseInstall } from '../src/platforms/metatrader/editions/base-install.ts';
import { findStepFailure, StepFailure } from '../src/platforms/metatrader/step-failure.ts';
import { useFolder } from './support/use-folder.ts';

let folder: string;
useFolder((path) => (folder = path));

const program = (mark: string): Program => ({ command: ['sleep', '600'], folder, mark });
const start = (processes: Processes) => processes.start({ args: ['600'], environment: {} });

test('plain processes outlive their starter, are found by folder and mark, and known also to a later agent', async () => {
  const processes = new PlainProcesses(program('sleep'));
  expect(await processes.find()).toBeUndefined();
  const handle = await start(processes);
  const later = new PlainProcesses(program('sleep'));
  expect(await later.isRunning(JSON.parse(JSON.stringify(handle)) as ProcessHandle)).toBe(true);
  expect(await later.find()).toEqual(handle);
  expect(await new PlainProcesses(program('another')).find()).toBeUndefined();
  await later.close(handle);
  while (await processes.isRunning(handle)) await sleep(5);
  await later.close(handle);
});

test.each([
  ['its exit code', 'process.exit(3)', { code: 3, signal: null }],
  ['the signal that killed it', "process.kill(process.pid, 'SIGKILL')", { code: null, signal: 'SIGKILL' }],
])('plain processes say how one ended that they started, and nothing of any other: %s', async (_, code, exit) => {
  const processes = new PlainProcesses({ command: [process.execPath], folder, mark: folder });
  const handle = await processes.start({ args: ['-e', code], environment: {} });
  const found = await waitFor(() => processes.findExit(handle));
  expect(found).toEqual(exit);
  expect(await processes.findExit({ ...handle, id: `${handle.id}0` })).toBeUndefined();
  expect(await new PlainProcesses({ command: ['sleep'], folder, mark: 'x' }).findExit(handle)).toBeUndefined();
});

test('plain processes are not taken for others: by a number that was used again, or by another launcher', async () => {
  const processes = new PlainProcesses(program('sleep'));
  const handle = await start(processes);
  const [pid] = handle.id.split(':');
  for (const other of [
    { ...handle, id: `${pid}:another` },
    { ...handle, launcher: 'wine' },
    { ...handle, id: 'x' },
  ]) {
    expect(await processes.isRunning(other)).toBe(false);
    await processes.close(other);
  }
  expect(await processes.isRunning(handle)).toBe(true);
  await processes.clear();
});

test('plain processes are all gone after a clearing, whatever started them, and however they resist', async () => {
  const stubborn = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); // a-mark`;
  const processes = new PlainProcesses({ command: [process.execPath], folder, mark: 'a-mark' });
  const started = [1, 2].map(() => processes.start({ args: ['-e', stubborn], environment: {} }));
  const handles = await Promise.all(started);
  await processes.clear();
  expect(await Promise.all(handles.map((handle) => processes.isRunning(handle)))).toEqual([false, false]);
  await processes.clear();
});

test('plain processes that cannot be started say what is missing', async () => {
  const processes = new PlainProcesses({ command: ['berth-no-such-program'], folder, mark: 'x' });
  await expect(start(processes)).rejects.toMatchObject({ name: 'LauncherError', kind: 'missing' });
});

test('plain processes are found for everybody who asks at the same time, each in its own folder', async () => {
  const folders = Array.from({ length: 20 }, (_, number) => join(folder, String(number)));
  const children = folders.map((cwd) => {
    mkdirSync(cwd);
    return spawn('sleep', ['600'], { cwd, stdio: 'ignore' });
  });
  try {
    await Promise.all(children.map((child) => once(child, 'spawn')));
    const found = await Promise.all([...folders, folder].map((path) => listProcessesIn(path, 'sleep')));
    expect(found.map((list) => list.map(({ pid }) => pid))).toEqual([...children.map(({ pid }) => [pid]), []]);
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
});

test('the box of a plain process calls its files as the terminal does, and no others', () => {
  const box = createProcessLauncher().toBox('/host/terminals/1');
  expect(box.toInside(join(box.home, 'mt5/config/common.ini'))).toBe('C:\\mt5\\config\\common.ini');
  for (const path of ['/host/terminals/1', box.home, '/etc/passwd', join(box.home, '../../2/berth.ini')]) {
    expect(() => box.toInside(path)).toThrow('not in the terminal');
  }
});

test('the box of a plain process is filled whole or not at all, and nothing of it is left when it is removed', async () => {
  const launcher = createProcessLauncher();
  const [box, base] = [launcher.toBox(join(folder, 'terminal')), join(folder, 'base')];
  await expect(launcher.install(box, base)).rejects.toMatchObject({ kind: 'missing' });
  await expect(readdir(box.home)).rejects.toThrow('ENOENT');
  mkdirSync(join(base, 'mt5'), { recursive: true });
  await mkdir(`${box.home}.partial/left by a crash`, { recursive: true });
  await launcher.install(box, base);
  expect(await readdir(box.home)).toEqual(['mt5']);
  expect(await readdir(box.folder)).toEqual(['drive_c']);
  await launcher.remove(box);
  await expect(readdir(box.folder)).rejects.toThrow('ENOENT');
});

test('a base installation is created once, whichever asks first', async () => {
  let installs = 0;
  const install = async (draft: string): Promise<void> => {
    installs += 1;
    await writeFile(join(draft, 'terminal'), String(installs));
  };
  const bases = await Promise.all([1, 2, 3].map(() => ensureBaseInstall({ folder, version: 'v1', install })));
  expect(new Set(bases).size).toBe(1);
  const content = await readFile(join(bases[0]!, 'terminal'), 'utf8');
  const before = installs;
  await ensureBaseInstall({ folder, version: 'v1', install });
  expect(installs).toBe(before);
  expect(await readFile(join(bases[0]!, 'terminal'), 'utf8')).toBe(content);
  expect(await readdir(folder)).toEqual(['v1']);
});

test('a base installation that fails leaves nothing behind', async () => {
  const install = async (draft: string): Promise<void> => {
    await writeFile(join(draft, 'half'), '');
    throw new Error('no network');
  };
  await expect(ensureBaseInstall({ folder, version: 'v1', install })).rejects.toThrow('no network');
  expect(await readdir(folder)).toEqual([]);
});

test('the screen of a sandbox terminal that nobody listens on is an error with a reason', async () => {
  await expect(askSocket(join(folder, 'none.sock'), {}, 1000)).rejects.toThrow('ENOENT');
});

test.each([
  ['hangs up', 'closed|EPIPE|ECONNRESET', 30_000],
  ['stays silent', 'in time', 50],
])('the screen of a sandbox terminal that %s is an error', async (what, text, timeoutMs) => {
  const path = join(folder, 'screen.sock');
  const server = createServer((socket) => {
    socket.on('error', () => {}).resume();
    if (what === 'hangs up') socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  await expect(askSocket(path, {}, timeoutMs)).rejects.toThrow(new RegExp(text));
  await new Promise((resolve) => server.close(resolve));
});

test.each([
  ['ENOSPC', 'E_DISK'],
  ['EDQUOT', 'E_DISK'],
  ['ENOMEM', 'E_MEMORY'],
  ['EAGAIN', 'E_MEMORY'],
])('failures: %s is %s', (code, expected) => {
  expect(findStepFailure(Object.assign(new Error('x'), { code }), false)?.code).toBe(expected);
});

test.each([
  ['disk', 'E_DISK'],
  ['memory', 'E_MEMORY'],
  ['missing', 'E_UNSUPPORTED'],
  ['screen', 'E_NOT_RUNNING'],
  ['stuck', 'E_NOT_RUNNING'],
] as const)('failures of a launcher: %s is %s', (kind, expected) => {
  expect(findStepFailure(new LauncherError(kind, 'x'), false)?.code).toBe(expected);
});

test('anything unknown is a defect, unless the attempt was aborted', () => {
  expect(findStepFailure(new TypeError('x'), false)).toBeUndefined();
  expect(findStepFailure(new TypeError('x'), true)?.code).toBe('E_TIMEOUT');
  const failure = new StepFailure('E_SYMBOL', 'y');
  expect(findStepFailure(failure, true)).toBe(failure);
});
