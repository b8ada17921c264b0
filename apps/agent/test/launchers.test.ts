import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findStartTicks, isSameProcess, listProcessesIn, signalProcess } from '../src/launchers/processes.ts';
import { ensureBaseInstall } from '../src/launchers/sandbox/base-install.ts';
import { askDisplay } from '../src/launchers/sandbox/display-client.ts';
import { findStepFailure, StepFailure } from '../src/platforms/metatrader/step-failure.ts';

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'berth-launcher-')));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('processes', () => {
  test('are known by number and start, found by folder, and left alone once they have ended', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', 'a-mark'], {
      cwd: folder,
      stdio: 'ignore',
    });
    await once(child, 'spawn');
    const identity = { pid: child.pid!, startTicks: findStartTicks(child.pid!)!, path: folder };
    expect(isSameProcess(identity)).toBe(true);
    expect(isSameProcess({ ...identity, startTicks: '1' })).toBe(false);
    expect(await listProcessesIn(folder, 'a-mark')).toEqual([identity]);
    expect(await listProcessesIn(folder, 'another')).toEqual([]);
    signalProcess({ ...identity, startTicks: '1' }, 'SIGKILL');
    expect(isSameProcess(identity)).toBe(true);
    const ended = once(child, 'exit');
    signalProcess(identity, 'SIGKILL');
    await ended;
    expect(isSameProcess(identity)).toBe(false);
    signalProcess(identity, 'SIGKILL');
  });

  test('are found for everybody who asks at the same time, each in its own folder', async () => {
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
});

describe('a base installation', () => {
  test('is made once, whoever asks first', async () => {
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

  test('that fails leaves nothing behind', async () => {
    const install = async (draft: string): Promise<void> => {
      await writeFile(join(draft, 'half'), '');
      throw new Error('no network');
    };
    await expect(ensureBaseInstall({ folder, version: 'v1', install })).rejects.toThrow('no network');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('the screen of a sandbox terminal', () => {
  test('that nobody listens on is an error with a reason', async () => {
    await expect(askDisplay(join(folder, 'none.sock'), {}, 1000)).rejects.toThrow('ENOENT');
  });

  test.each([
    ['hangs up', 'closed|EPIPE|ECONNRESET', 30_000],
    ['stays silent', 'in time', 50],
  ])('that %s is an error', async (what, text, timeoutMs) => {
    const path = join(folder, 'screen.sock');
    const server = createServer((socket) => {
      socket.on('error', () => {}).resume();
      if (what === 'hangs up') socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    await expect(askDisplay(path, {}, timeoutMs)).rejects.toThrow(new RegExp(text));
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('failures', () => {
  test.each([
    ['ENOSPC', 'E_DISK'],
    ['EDQUOT', 'E_DISK'],
    ['ENOMEM', 'E_MEMORY'],
    ['EAGAIN', 'E_MEMORY'],
  ])('%s is %s', (code, expected) => {
    expect(findStepFailure(Object.assign(new Error('x'), { code }), false)?.code).toBe(expected);
  });

  test('anything unknown is a defect, unless the attempt was aborted', () => {
    expect(findStepFailure(new TypeError('x'), false)).toBeUndefined();
    expect(findStepFailure(new TypeError('x'), true)?.code).toBe('E_TIMEOUT');
    const failure = new StepFailure('E_SYMBOL', 'y');
    expect(findStepFailure(failure, true)).toBe(failure);
  });
});
