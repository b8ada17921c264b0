import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '@berth/kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SessionFolder } from '../src/launchers/windows/session-folder.ts';
import { SessionHelper } from '../src/launchers/windows/windows-session.ts';
import { createWindowsLauncher } from '../src/launchers/windows/windows-launcher.ts';

const patience = { takeMs: 5_000, answerMs: 20_000 };
const impatience = { takeMs: 20, answerMs: 20 };

let folder: string;
const ending = new AbortController();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-session-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** false when its agent has just taken it back. */
const take = (file: string): Promise<boolean> =>
  rename(join(folder, file), join(folder, `${file}.taken`)).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return false;
    },
  );

/** The next request, taken as the session helper takes it. */
const takeRequest = async (): Promise<{ name: string; lines: Record<string, unknown>[] }> => {
  for (;;) {
    const [file] = (await readdir(folder)).filter((name) => /\.(session|window)$/.test(name)).sort();
    if (file === undefined || !(await take(file))) {
      await sleep(5, ending.signal);
      continue;
    }
    const text = await readFile(join(folder, `${file}.taken`), 'utf8');
    await rm(join(folder, `${file}.taken`));
    const lines = text.split('\n').filter((line) => line !== '');
    return {
      name: file.replace(/\.[a-z]+$/, ''),
      lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    };
  }
};

const answer = async (name: string, text: string): Promise<void> => {
  await writeFile(join(folder, `${name}.draft`), text);
  await rename(join(folder, `${name}.draft`), join(folder, `${name}.answer`));
};

describe('a request to the session helper', () => {
  test('is answered line by line, and leaves nothing behind', async () => {
    const asked = new SessionFolder(folder).ask('session', [{ op: 'a' }, { op: 'b' }], patience);
    const { name, lines } = await takeRequest();
    expect(lines).toEqual([{ op: 'a' }, { op: 'b' }]);
    await answer(name, '{"ok":true,"n":1}\n{"ok":false,"error":"failed","message":"No."}\n');
    expect(await asked).toEqual([
      { ok: true, n: 1 },
      { ok: false, error: 'failed', message: 'No.' },
    ]);
    expect(await readdir(folder)).toEqual([]);
  });

  test('that nobody takes is taken back: nothing was done, and nothing will be', async () => {
    await expect(new SessionFolder(folder).ask('session', [{ op: 'start' }], impatience)).rejects.toMatchObject({
      name: 'NoSessionHelperError',
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test('that was taken and not answered may have been carried out', async () => {
    const asked = new SessionFolder(folder).ask('session', [{ op: 'start' }], { takeMs: 500, answerMs: 1 });
    const [result] = await Promise.allSettled([asked, takeRequest()]);
    expect(result).toMatchObject({ status: 'rejected', reason: { kind: 'screen' } });
  });

  test('comes after every earlier one of the same agent', () => {
    const helper = new SessionFolder(folder);
    const names = Array.from({ length: 50 }, () => helper.createName());
    expect([...names].sort()).toEqual(names);
  });

  test.each([
    ['is empty', ''],
    ['is not JSON', 'hello\n'],
    ['is no object', '[1]\n'],
    ['is null', 'null\n'],
    ['says neither yes nor no', '{"ok":1}\n'],
    ['refuses without a reason', '{"ok":false}\n'],
    ['answers less than was asked', '{"ok":true}\n'],
    ['answers more than was asked', '{"ok":true}\n'.repeat(3)],
    ['is endless', '{"ok":true}\n'.repeat(100_000)],
  ])('whose answer %s has failed, and does not harm the agent', async (_, text) => {
    const asked = new SessionFolder(folder).ask('session', [{ op: 'a' }, { op: 'b' }], patience);
    const { name } = await takeRequest();
    const [result] = await Promise.allSettled([asked, answer(name, text)]);
    expect(result).toMatchObject({ status: 'rejected', reason: { name: 'LauncherError', kind: 'screen' } });
  });

  test.each([
    ['a link', (path: string) => symlink('/etc/passwd', path)],
    ['a folder', (path: string) => mkdir(path)],
    ['a pipe', async (path: string) => void execFileSync('mkfifo', [path])],
  ])('whose answer is %s has failed, without a wait', async (_, put) => {
    const asked = new SessionFolder(folder).ask('session', [{ op: 'a' }], patience);
    const { name } = await takeRequest();
    const [result] = await Promise.allSettled([asked, put(join(folder, `${name}.answer`))]);
    expect(result).toMatchObject({ status: 'rejected', reason: { name: 'LauncherError', kind: 'screen' } });
  });

  test('sweeps away what an earlier agent has left, and nothing else', async () => {
    const [old, young] = ['000001700000000-0123abcd.answer', '000001700000001-0123abcd.answer'];
    for (const name of [old, young, 'notes.txt']) await writeFile(join(folder, name), '');
    await utimes(join(folder, old), 1, 1);
    await utimes(join(folder, 'notes.txt'), 1, 1);
    await expect(new SessionFolder(folder).ask('session', [], impatience)).rejects.toThrow('Nobody');
    expect(await readdir(folder)).toEqual([young, 'notes.txt']);
  });
});

describe('the session helper', () => {
  const createHelper = (startSessionHelper: () => Promise<void>): SessionHelper =>
    new SessionHelper({ folder, toWindowsPath: (path) => path.replaceAll('/', '\\'), startSessionHelper });
  const noStart = async (): Promise<void> => undefined;

  test('that is not there is started once for everybody who asks, and asked again', async () => {
    let starts = 0;
    let isStarted = false;
    const helper = createHelper(async () => {
      starts += 1;
      // Until both have found that nobody is there.
      while ((await readdir(folder)).length > 0) await sleep(5);
      await sleep(100);
      isStarted = true;
    });
    const asked = [helper.endJob('a'), helper.endJob('b')];
    while (!isStarted) await sleep(5);
    for (const _ of asked) await answer((await takeRequest()).name, '{"ok":true}\n');
    await Promise.all(asked);
    expect(starts).toBe(1);
  });

  test('is asked once for the processes of all terminals', async () => {
    const helper = createHelper(noStart);
    const questions = ['1', '2', '3'].map((path) => ({ path, job: path }));
    const asked = Promise.all(questions.map((question) => helper.listProcesses(question)));
    const { name, lines } = await takeRequest();
    expect(lines).toEqual(questions.map((question) => ({ op: 'processes', ...question })));
    const processes = [{ pid: 8, created: '134000000000000000', path: 'C:\\a.exe', memory_bytes: 5, cpu_ms: 7 }];
    await answer(
      name,
      `${JSON.stringify({ ok: true, processes })}\n{"ok":true,"processes":[]}\n{"ok":true,"processes":[],"truncated":true}\n`,
    );
    expect(await asked).toEqual([
      { processes, isTruncated: false },
      { processes: [], isTruncated: false },
      { processes: [], isTruncated: true },
    ]);
  });

  test.each(['{"ok":true}', '{"ok":true,"processes":{}}', '{"ok":true,"processes":[{"pid":"1","created":"1"}]}'])(
    'that answers %s has not said which processes run',
    async (line) => {
      const asked = createHelper(noStart).listProcesses({ path: 'a', job: 'b' });
      const { name } = await takeRequest();
      const [result] = await Promise.allSettled([asked, answer(name, `${line}\n`)]);
      expect(result).toMatchObject({ status: 'rejected', reason: { kind: 'screen' } });
    },
  );

  test('starts a terminal in its job, with its limits and a command line that is not read again', async () => {
    const launcher = createWindowsLauncher({
      sessionFolder: folder,
      limits: { memoryMb: 1024, processes: 256, cpuPercent: 100 },
      toWindowsPath: (path) => path.replace(/^\/box/, 'C:').replaceAll('/', '\\'),
      run: noStart,
    });
    const box = launcher.toBox('/box/hosts/7');
    const file = join(box.home, 'mt5/terminal64.exe');
    const processes = launcher.processes(box, { command: [file], folder: join(box.home, 'mt5'), mark: 'terminal64' });
    const started = processes.start({ args: ['/portable', '/config:C:\\a b.ini'], environment: { A: '1', B: 'x=y' } });
    const { name, lines } = await takeRequest();
    expect(lines).toEqual([
      {
        op: 'start',
        program: 'C:\\hosts\\7\\home\\mt5\\terminal64.exe',
        arguments: 'C:\\hosts\\7\\home\\mt5\\terminal64.exe /portable "/config:C:\\a b.ini"',
        folder: 'C:\\hosts\\7\\home\\mt5',
        environment: 'A=1\nB=x=y',
        job: expect.stringMatching(/^berth-[0-9a-f]{16}$/) as string,
        memory_mb: 1024,
        processes: 256,
        cpu_percent: 100,
      },
    ]);
    await answer(name, '{"ok":true,"pid":5,"created":"134000000000000001"}\n');
    expect(await started).toEqual({ launcher: 'windows', id: '5:134000000000000001' });
  });

  test.each([
    ['missing', 'missing'],
    ['memory', 'memory'],
    ['failed', 'screen'],
  ])('that refuses a start as %s says so as %s', async (error, kind) => {
    const helper = createHelper(noStart);
    const limits = { memoryMb: 0, processes: 0, cpuPercent: 0 };
    const start = { program: 'a', arguments: 'a', folder: 'b', environment: {}, job: 'c', limits };
    const asked = helper.start(start);
    const { name } = await takeRequest();
    const refusal = JSON.stringify({ ok: false, error, message: 'It cannot be.' });
    const [result] = await Promise.allSettled([asked, answer(name, `${refusal}\n`)]);
    expect(result).toMatchObject({ status: 'rejected', reason: { name: 'LauncherError', kind } });
    await expect(helper.start({ ...start, environment: { A: '1\nB=2' } })).rejects.toThrow('line breaks');
  });

  test('shows a terminal its own windows only', async () => {
    const launcher = createWindowsLauncher({
      sessionFolder: folder,
      limits: { memoryMb: 0, processes: 0, cpuPercent: 0 },
      toWindowsPath: (path) => path,
    });
    const asked = launcher.screen(launcher.toBox('/a')).ask({ requests: [{ op: 'windows' }] });
    const rect = [0, 0, 10, 10];
    const windows = [1, 2].map((pid) => ({ handle: `${pid}0`, title: `of ${pid}`, owner: null, pid, rect }));
    const listing = await takeRequest();
    await answer(listing.name, `${JSON.stringify({ ok: true, windows })}\n`);
    const walk = await takeRequest();
    const processes = [{ pid: 2, created: '1', path: '/a\\home\\x.exe', memory_bytes: 5, cpu_ms: 7 }];
    await answer(walk.name, `${JSON.stringify({ ok: true, processes })}\n`);
    expect(await asked).toEqual({ answers: [{ ok: true, windows: [windows[1]] }] });
  });
});
