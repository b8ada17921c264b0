// @module-tag wine
/**
 * The launcher for Windows hosts and its session helper, on Wine in the place of Windows: what it says to Win32 is real, what
 * Windows itself would do (the session of a user, its scheduled task, its limits) is not.
 */
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endProcesses, waitFor, type SpawnedProcess } from '@berth/testing';
import {
  createWindowsLauncher,
  SessionFolder,
  toCreateSessionTask,
  toSessionTaskXml,
  toTaskFile,
  type Box,
  type Launcher,
  type Processes,
  type WindowsLauncherOptions,
} from '@berth/testing/launchers';
import { PNG } from 'pngjs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDesktop, type Desktop } from './support/desktop.ts';
import { argumentsProgram, buildWindowsPrograms } from './support/windows-programs.ts';
import { getLoader } from './support/wine-tools.ts';

const SYSTEM = 'C:\\windows\\system32';
const noLimits = { memoryMb: 0, processes: 0, cpuPercent: 0 };

let wine: Desktop;
let served: SpawnedProcess;
let launcher: Launcher;
const opened: Processes[] = [];

const toWindowsPath = (path: string): string => path.replace(wine.driveC, 'C:').replaceAll('/', '\\');
const runUnderWine = (file: string, args: readonly string[]) =>
  promisify(execFile)(getLoader(), [file, ...args], { env: wine.environment, cwd: wine.driveC });
const serve = (): SpawnedProcess => wine.start('C:\\berth\\berth-window.exe', ['serve', 'C:\\berth\\session']);

/** A launcher as an agent makes it; that Wine starts no tasks is the one thing that is acted out. */
const createLauncher = (options: Partial<WindowsLauncherOptions> = {}): Launcher =>
  createWindowsLauncher({
    sessionFolder: join(wine.driveC, 'berth/session'),
    limits: { memoryMb: 512, processes: 32, cpuPercent: 0 },
    toWindowsPath,
    systemFolder: SYSTEM,
    run: async ({ file, args }) => {
      if (file === 'schtasks.exe' && args[0] === '/Run') served = serve();
      else await runUnderWine(file, args);
    },
    ...options,
  });

const open = async (name: string, { file = 'notepad.exe', using = launcher } = {}) => {
  const box = using.toBox(join(wine.driveC, 'berth/hosts', name));
  await using.install(box, join(wine.driveC, 'berth/base'));
  const program = { command: [join(box.home, file)] as const, folder: box.home, mark: file };
  const processes = using.processes(box, program);
  opened.push(processes);
  return { box, program, processes, screen: using.screen(box) };
};

const start = async (name: string) => {
  const terminal = await open(name);
  const handle = await terminal.processes.start({ args: [], environment: {} });
  await waitFor(() => terminal.screen.hasWindow(), { what: `the window of ${name}` });
  return { ...terminal, handle };
};

const listWindows = async (box: Box): Promise<any[]> => {
  const { answers } = (await launcher.screen(box).ask({ requests: [{ op: 'windows' }] })) as any;
  return answers[0].windows;
};

/** Gives the text of a notepad something to lose. */
const writeText = async (box: Box): Promise<void> => {
  const [{ handle }] = await listWindows(box);
  const { answers } = (await launcher.screen(box).ask({ requests: [{ op: 'controls', window: handle }] })) as any;
  const { handle: control } = answers[0].controls.find((found: any) => found.class === 'Edit');
  await launcher.screen(box).ask({ requests: [{ op: 'set', control, text: 'unsaved' }] });
};

beforeAll(async () => {
  wine = await openDesktop();
  buildWindowsPrograms('arguments');
  for (const folder of ['berth/session', 'berth/base']) mkdirSync(join(wine.driveC, folder), { recursive: true });
  // Wine gives its own programs the path of the copy that was started first; without their mark they are any other's.
  const notepad = readFileSync(join(wine.driveC, 'windows/system32/notepad.exe'));
  notepad.fill(0, notepad.indexOf('Wine builtin DLL'), notepad.indexOf('Wine builtin DLL') + 16);
  writeFileSync(join(wine.driveC, 'berth/base/notepad.exe'), notepad);
  copyFileSync(argumentsProgram, join(wine.driveC, 'berth/base/arguments.exe'));
  launcher = createLauncher();
});
afterEach(async () => {
  for (const processes of opened.splice(0)) await processes.clear();
});
afterAll(async () => {
  await wine.close();
  await endProcesses();
});

describe('a terminal on a Windows host', () => {
  it('is started by a session helper that is started first, shown, and closed politely with its dialog answered', async () => {
    const { box, processes, screen, handle } = await start('polite');
    expect(await processes.isRunning(handle)).toBe(true);
    expect(await processes.find()).toEqual(handle);
    expect((await processes.measure!())!.memoryBytes).toBeGreaterThan(1_000_000);
    expect(await listWindows(box)).toMatchObject([{ title: 'Untitled - Notepad', program: 'notepad.exe' }]);
    await writeText(box);
    await processes.close(handle);
    const [dialog] = await waitFor(
      async () => {
        const dialogs = (await listWindows(box)).filter(({ owner }) => owner !== null);
        return dialogs.length > 0 && dialogs;
      },
      { what: 'the question whether to save' },
    );
    const { answers } = (await screen.ask({ requests: [{ op: 'controls', window: dialog.handle }] })) as any;
    const no = answers[0].controls.find(({ id }: any) => id === 7);
    await screen.ask({ requests: [{ op: 'press', control: no.handle }] });
    await waitFor(async () => !(await processes.isRunning(handle)), { what: 'its end' });
    expect(await processes.find()).toBeUndefined();
    await processes.close(handle);
    await launcher.remove(box);
    expect(existsSync(box.folder)).toBe(false);
  });

  it('is captured in the size that was asked for', async () => {
    const { screen } = await start('captured');
    const png = PNG.sync.read(await screen.capture({ width: 640, height: 480 }));
    expect([png.width, png.height]).toEqual([640, 480]);
    const white = png.data.filter((_, index) => index % 4 === 0 && png.data.readUInt32BE(index) === 0xffffffff).length;
    expect(white).toBeGreaterThan(640 * 480 * 0.5);
    expect(readdirSync(join(wine.driveC, 'berth/session')).filter((name) => !name.endsWith('.lock'))).toEqual([]);
  });

  it('gets exactly the arguments that were meant, its own environment, and that of the user', async () => {
    const { box, processes } = await open('arguments', { file: 'arguments.exe' });
    const args = [
      '/config:C:\\a.ini',
      'two words',
      '',
      'say "hi"',
      'C:\\end\\',
      'C:\\two words\\',
      'a\\"b',
      '%PATH%^&|<>',
      'é漢',
    ];
    const handle = await processes.start({ args, environment: { BERTH_PROBE: box.toInside(join(box.home, 'said')) } });
    const said = await waitFor(
      () => {
        const path = join(box.home, 'said');
        const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
        return text.includes('started') && text;
      },
      { what: 'what the program said' },
    );
    expect(said.split(/\r?\n/).slice(0, -2)).toEqual(args);
    // Without a window there is nobody to close it but Windows' own command, which such a program does not heed.
    await processes.close(handle);
    await processes.clear();
    expect(await processes.isRunning(handle)).toBe(false);
  });

  it('is known to a later agent, and whatever runs in its box ends when it is cleared, and nothing else', async () => {
    const [one, other] = [await start('one'), await start('other')];
    const second = await one.processes.start({ args: [], environment: {} });
    expect((await listWindows(other.box)).length).toBe(1);
    const later = createLauncher();
    const found = later.processes(one.box, one.program);
    expect(await found.find()).toEqual(one.handle);
    expect(await found.isRunning(JSON.parse(JSON.stringify(second)))).toBe(true);
    expect(await found.isRunning({ ...second, launcher: 'wine' })).toBe(false);
    expect(await found.isRunning({ ...second, id: second.id.replace(/:.*/, ':1') })).toBe(false);
    await found.clear();
    expect(await Promise.all([one.handle, second].map((handle) => found.isRunning(handle)))).toEqual([false, false]);
    expect(await other.processes.isRunning(other.handle)).toBe(true);
    expect(await other.screen.hasWindow()).toBe(true);
  });

  it('outlives the session helper, and is found again by the next one', async () => {
    const { processes, handle, screen } = await start('survivor');
    served.kill('SIGKILL');
    await served.ended;
    expect(await processes.isRunning(handle)).toBe(true);
    expect(await screen.hasWindow()).toBe(true);
    await processes.clear();
    expect(await processes.find()).toBeUndefined();
  });

  it('that hangs keeps nobody else waiting, and is ended by force', async () => {
    const [hung, other] = [await start('hung'), await start('well')];
    const [pid] = findUnixProcesses('berth\\hosts\\hung');
    process.kill(pid!, 'SIGSTOP');
    const screenshot = hung.screen.capture({ width: 640, height: 480 });
    expect(await other.processes.isRunning(other.handle)).toBe(true);
    await other.screen.capture({ width: 640, height: 480 });
    await expect(screenshot).rejects.toMatchObject({ name: 'LauncherError', kind: 'screen' });
    await hung.processes.close(hung.handle);
    expect(await hung.processes.isRunning(hung.handle)).toBe(true);
    await hung.processes.clear();
    expect(await hung.processes.find()).toBeUndefined();
  });

  it('that cannot be started says why: no such program, or a limit that the system does not take', async () => {
    const { processes } = await open('missing', { file: 'none.exe' });
    await expect(processes.start({ args: [], environment: {} })).rejects.toMatchObject({ kind: 'missing' });
    // Wine limits no processor time. Of memory and numbers it takes the limits, and does not heed them.
    const limited = await open('limited', { using: createLauncher({ limits: { ...noLimits, cpuPercent: 100 } }) });
    await expect(limited.processes.start({ args: [], environment: {} })).rejects.toThrow('does not take the limits');
    expect(await limited.processes.find()).toBeUndefined();
  });
});

const findUnixProcesses = (text: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => existsSync(`/proc/${pid}/cmdline`) && readText(`/proc/${pid}/cmdline`).includes(text))
    .map(Number);
const readText = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

describe('the session helper', () => {
  const patience = { takeMs: 20_000, answerMs: 20_000 };
  const ask = (kind: 'session' | 'window', ...requests: object[]) =>
    new SessionFolder(join(wine.driveC, 'berth/session')).ask(kind, requests, patience);

  it('is alone with its folder', async () => {
    await launcher.screen(launcher.toBox(join(wine.driveC, 'berth/hosts/none'))).open();
    expect(await serve().ended).toEqual({ code: 3, signal: null });
    const nowhere = wine.start('C:\\berth\\berth-window.exe', ['serve', 'C:\\berth\\nowhere']);
    expect(await nowhere.ended).toEqual({ code: 1, signal: null });
  });

  it('stays at work, whatever lies in its folder', async () => {
    const folder = join(wine.driveC, 'berth/session');
    mkdirSync(join(folder, '0-folder.session'));
    // Renamed once it is whole, as agents do it: a request is carried out as soon as its name is there.
    const put = (name: string, text: string, seconds?: number): void => {
      const draft = join(folder, 'put.draft');
      writeFileSync(draft, text);
      if (seconds !== undefined) utimesSync(draft, seconds, seconds);
      renameSync(draft, join(folder, name));
    };
    put('0-old.session', `${JSON.stringify({ op: 'start' })}\n`, 1);
    put('0-long.session', 'x'.repeat(1_000_000));
    put('0-odd.window', '{"op":"windows"}\n{"op":"nothing"}\n{"op":"windows"}\n');
    put('0-none.session', '\0\0not a request\n');
    for (let number = 0; number < 500; number += 1) writeFileSync(join(folder, `Rubbish ${number}.session`), '{}');
    expect(await ask('session', { op: 'processes', path: 'C:\\none\\', job: '' })).toEqual([
      { ok: true, processes: [] },
    ]);
    const answer = await waitFor(
      () => existsSync(join(folder, '0-odd.answer')) && readText(join(folder, '0-odd.answer')),
    );
    expect(
      answer
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).error),
    ).toEqual([undefined, 'unknown_operation']);
    await waitFor(() => existsSync(join(folder, '0-none.answer')));
    expect(readText(join(folder, '0-none.answer'))).toContain('invalid_request');
    const passedOver = ['0-old.session', '0-old.answer', '0-long.session', '0-long.answer'];
    await waitFor(() => !passedOver.some((name) => existsSync(join(folder, name))), {
      what: 'an end of what is no request',
    });
    expect(existsSync(join(folder, '0-folder.session'))).toBe(true);
  });

  it.each([
    [{ op: 'start' }],
    [
      {
        op: 'start',
        program: 'a',
        arguments: 'a',
        folder: 'a',
        environment: '',
        job: '../x',
        memory_mb: 0,
        processes: 0,
        cpu_percent: 0,
      },
    ],
    [
      {
        op: 'start',
        program: 'a',
        arguments: 'a',
        folder: 'a',
        environment: 'no mark',
        job: '',
        memory_mb: 0,
        processes: 0,
        cpu_percent: 0,
      },
    ],
    [
      {
        op: 'start',
        program: 'a',
        arguments: 'a',
        folder: 'a',
        environment: '',
        job: '',
        memory_mb: -1,
        processes: 0,
        cpu_percent: 0,
      },
    ],
    [{ op: 'processes' }],
    [{ op: 'end', pid: 0, created: '1' }],
    [{ op: 'end', pid: 5 }],
    [{ op: 'end_job' }],
    [{ op: 'end_job', job: 'Global\\x' }],
    [{ op: 'capture', window: '1' }],
  ])('refuses %j', async (request) => {
    expect(await ask('session', request)).toMatchObject([{ ok: false, error: 'invalid_request' }]);
  });

  it('ends no process that is not the one that was meant', async () => {
    const { processes, handle } = await start('meant');
    const pid = Number(handle.id.split(':')[0]);
    await ask('session', { op: 'end', pid, created: '1' });
    expect(await processes.isRunning(handle)).toBe(true);
    expect(await ask('session', { op: 'end', pid: 4_000_000, created: '1' })).toMatchObject([{ ok: true }]);
    expect(await ask('session', { op: 'end_job', job: 'no-such-job' })).toEqual([{ ok: true }]);
  });
});

describe('the task of the session helper', () => {
  it('is one that Wine, too, takes from its command line', async () => {
    const file = join(wine.driveC, 'berth/session.xml');
    const task = {
      program: 'C:\\berth\\berth-window.exe',
      folder: 'C:\\berth\\session',
      user: 'HOST\\A & B',
      starter: 'S-1-5-18',
    };
    writeFileSync(file, toTaskFile(toSessionTaskXml(task)));
    const { file: program, args } = toCreateSessionTask('C:\\berth\\session.xml');
    await runUnderWine(program, args);
    writeFileSync(file, toTaskFile(toSessionTaskXml(task).replace('</Principals>', '')));
    await expect(runUnderWine(program, args)).rejects.toThrow();
  });
});
