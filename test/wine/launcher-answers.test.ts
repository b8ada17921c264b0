// @module-tag wine
/** The window program of a box stays; then the box answers for its screen what it likes: something else poses as that program. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findProcess } from '@berth/kit';
import {
  install,
  listProcesses,
  makeBase,
  openLauncher,
  openTerminal,
  reopenTerminal,
  start,
  toRunFolder,
  until,
  type WineTerminal,
} from '@berth/testing/wine-terminals';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createLauncherFolder,
  prepareLauncher,
  programFolder,
  removeLauncherFolder,
} from './support/launcher-folder.ts';

/** Longer than any of the answers takes to be looked at; a box that never answers costs its asker no more than this. */
const PATIENCE_MS = 5_000;
const SECRET = 'not for terminals';
const WINDOW_PROGRAM = 'C:\\berth\\berth-window.exe';

let folder: string;
let terminal: WineTerminal;
let run: string;
beforeAll(async () => {
  const prefix = await prepareLauncher();
  folder = await createLauncherFolder();
  terminal = openTerminal(openLauncher({ folder, programFolder }), join(folder, 'terminal'));
  await install(terminal, await makeBase(folder, prefix));
  await start(terminal);
  run = toRunFolder(terminal);
  writeFileSync(join(folder, 'secret'), SECRET);
});
afterAll(async () => {
  await terminal.launcher.remove(terminal.box);
  await removeLauncherFolder(folder);
});

/** Waits for a question, and puts something in the place of its answer. */
const answerWith = async (write: (path: string) => void): Promise<void> => {
  let question: string | undefined;
  await until(async () => (question = (await readdir(run)).find((name) => name.endsWith('.req'))) !== undefined);
  write(join(run, question!.replace('.req', '.ans')));
};

/** The processes that say they are the window program. */
const listWindowPrograms = async (): Promise<number[]> => {
  const { inside } = await listProcesses(terminal);
  return inside.filter(({ command }) => command.includes(WINDOW_PROGRAM)).map(({ pid }) => pid);
};

const endWindowPrograms = async (): Promise<void> => {
  const pids = await listWindowPrograms();
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  await until(async () => pids.every((pid) => findProcess(pid) === undefined));
};

/** Has the box run a script, as the agent does. */
const runInBox = (script: string): void => {
  const name = `${Date.now().toString(16)}0`;
  writeFileSync(join(run, `${name}.run`), `rm -f -- "$0"\n${script}`, { mode: 0o644 });
  writeFileSync(join(run, 'commands'), `${name}\n`);
};

it('the window program of a box answers question after question, also those of the next agent', async () => {
  const [pid, ...others] = await listWindowPrograms();
  expect(others).toEqual([]);
  const launcher = openLauncher({ folder, programFolder });
  const next = reopenTerminal(terminal, launcher);
  for (const { screen } of [terminal, next, terminal, next]) expect(await screen.hasWindow()).toBe(true);
  const both = await Promise.all([terminal, next].map(({ screen }) => screen.hasWindow()));
  expect(both).toEqual([true, true]);
  expect(await listWindowPrograms()).toEqual([pid]);
});

it('the window program of a box is ended when it does not answer, and the next question gets a new one', async () => {
  expect(await terminal.screen.hasWindow()).toBe(true);
  const [pid] = await listWindowPrograms();
  process.kill(pid!, 'SIGSTOP');
  const asked = terminal.screen.ask({ requests: [{ op: 'windows' }] }, { timeoutMs: PATIENCE_MS });
  await expect(asked).rejects.toMatchObject({ kind: 'screen' });
  expect(await terminal.screen.hasWindow()).toBe(true);
  const after = await listWindowPrograms();
  expect(after).toHaveLength(1);
  expect(after).not.toEqual([pid]);
});

/** A process that opens it later finds no FIFO, and creates a file in its place. */
const holdFifo = async (): Promise<void> => {
  runInBox('exec sleep 1000 <>/berth/questions');
  const isHeld = async () => (await listProcesses(terminal)).inside.some(({ command }) => command.includes('1000'));
  await until(isHeld);
};

it.each<[string, () => unknown]>([
  ['was killed', () => undefined],
  ['left its FIFO to somebody else', holdFifo],
  [
    'left a folder in the place of its FIFO',
    () => (renameSync(join(run, 'questions'), join(run, 'old')), mkdirSync(join(run, 'questions'))),
  ],
])('the window program of a box is started again where it %s', async (_title, spoil) => {
  expect(await terminal.screen.hasWindow()).toBe(true);
  const [pid] = await listWindowPrograms();
  await spoil();
  process.kill(pid!, 'SIGKILL');
  // A process that ends has no name any more, and still holds its FIFO.
  await until(async () => findProcess(pid!) === undefined);
  expect(await terminal.screen.hasWindow()).toBe(true);
  expect(await listWindowPrograms()).toHaveLength(1);
});

describe('a box in which something else poses as the window program', () => {
  beforeAll(() => renameSync(join(run, 'berth-window.exe'), join(run, 'away.exe')));
  beforeEach(async () => {
    await endWindowPrograms();
    execFileSync('sh', ['-c', 'rm -rf "$1" && mkfifo -m 666 "$1"', 'sh', join(run, 'questions')]);
    runInBox(`exec sh -c 'exec 3<>/berth/questions; while :; do sleep 1; done' '${WINDOW_PROGRAM}' stay`);
    await until(async () => (await listWindowPrograms()).length > 0);
  });

  it.each<[string, (path: string) => void]>([
    ['never comes', () => undefined],
    ['is a FIFO', (path) => execFileSync('mkfifo', [path])],
    ['is a folder', (path) => mkdirSync(join(path, 'x/y'), { recursive: true })],
    ['is a link to a secret', (path) => symlinkSync(join(folder, 'secret'), path)],
    ['is a link to an endless device', (path) => symlinkSync('/dev/zero', path)],
    ['is 10 GB', (path) => (writeFileSync(path, ''), truncateSync(path, 10 * 1024 ** 3))],
    ['is no JSON', (path) => writeFileSync(path, SECRET)],
    ['is other JSON', (path) => writeFileSync(path, '[1]\nnull\n')],
    ['is a refusal of any length', (path) => writeFileSync(path, `{"ok":false,"error":"${'x'.repeat(200_000)}"}\n`)],
  ])('an answer that %s is an error of the screen, soon and short', async (_title, write) => {
    const asked = terminal.screen.ask({ requests: [{ op: 'windows' }] }, { timeoutMs: PATIENCE_MS });
    const [failure] = await Promise.all([asked.catch((error: unknown) => error as Error), answerWith(write)]);
    expect(failure).toMatchObject({ kind: 'screen' });
    expect((failure as Error).message.length).toBeLessThan(500);
    expect((failure as Error).message).not.toContain(SECRET);
    expect((await readdir(run)).filter((name) => /\.(req|ans)$/.test(name))).toEqual([]);
  });

  it('an answer that lies about windows is taken for what it says, and harms nobody', async () => {
    const window = {
      handle: '1',
      title: 'x',
      owner: null,
      program: 'notepad.exe',
      rect: [-9e9, 0, 1e300, 5],
      hung: false,
    };
    const asked = terminal.screen.hasWindow();
    await answerWith((path) => writeFileSync(path, `${JSON.stringify({ ok: true, windows: [window, null, 7] })}\n`));
    expect(typeof (await asked)).toBe('boolean');
  });
});

it('a box whose commands lead nowhere is an error of the screen', async () => {
  await endWindowPrograms();
  await rm(join(run, 'commands'));
  symlinkSync(join(folder, 'secret'), join(run, 'commands'));
  const failure = await terminal.screen.hasWindow().catch((error: unknown) => error);
  expect(failure).toMatchObject({ kind: 'screen' });
  expect((await readdir(run)).filter((name) => /\.(req|ans|run)$/.test(name))).toEqual([]);
});
