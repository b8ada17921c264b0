/** A box that answers for its screen what it likes: the window program is gone, and something else writes in its place. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  install,
  makeBase,
  openLauncher,
  openTerminal,
  start,
  toRunFolder,
  until,
  type WineTerminal,
} from '@berth/testing/wine-terminals';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createLauncherFolder,
  prepareLauncher,
  programFolder,
  removeLauncherFolder,
} from './support/launcher-folder.ts';

/** Longer than any of the answers takes to be looked at; a box that never answers costs its asker no more than this. */
const PATIENCE_MS = 1_000;
const SECRET = 'not for terminals';

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
  writeFileSync(join(run, 'berth-window.exe'), 'no program');
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

it('a box whose commands lead nowhere is an error of the screen', async () => {
  await rm(join(run, 'commands'));
  symlinkSync(join(folder, 'secret'), join(run, 'commands'));
  const failure = await terminal.screen.hasWindow().catch((error: unknown) => error);
  expect(failure).toMatchObject({ kind: 'screen' });
  expect((await readdir(run)).filter((name) => /\.(req|ans|run)$/.test(name))).toEqual([]);
});
