/** Terminals under Wine as the launcher runs them: programs that come with Wine, in boxes of their own. */
import assert from 'node:assert/strict';
import { lstat, mkdir, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createLogger, EnvReader, sleep } from '@berth/kit';
import { toBoxPaths } from '../../apps/agent/src/launchers/wine/box-paths.ts';
import { findMark, listBoxProcesses, type BoxProcesses } from '../../apps/agent/src/launchers/wine/box-walk.ts';
import type { Box, Launcher, Processes, Program, Screen } from '../../apps/agent/src/launchers/launcher.ts';
import { readWineSettings } from '../../apps/agent/src/launchers/wine/settings.ts';
import { createWineLauncher, type WineLauncher } from '../../apps/agent/src/launchers/wine/wine-launcher.ts';
import { RealWindow } from '../../apps/agent/src/platforms/metatrader/editions/window/real-window.ts';

export interface LauncherPlace {
  /** For everything that the launcher and its terminals write. */
  folder: string;
  /** With the window program in it. */
  programFolder: string;
  environment?: Record<string, string>;
}

const log = createLogger({ name: 'agent', level: 'warn', destination: 2 });

/** A launcher as an agent makes it; another one of the same place is what the next agent makes. */
export const openLauncher = ({ folder, programFolder, environment = {} }: LauncherPlace): WineLauncher => {
  const env = new EnvReader(environment);
  const settings = readWineSettings(env, { windowsDist: programFolder });
  env.finish();
  return createWineLauncher({ settings, folder: join(folder, 'shared'), usersFolder: join(folder, 'uids'), log });
};

/** The launcher of the agent with this folder, for what it left behind. */
export const openAgentLauncher = (directory: string, programFolder: string): Launcher => {
  const settings = readWineSettings(new EnvReader({}), { windowsDist: programFolder });
  return createWineLauncher({ settings, folder: join(directory, 'wine'), log });
};

/** A base whose prefix is this one. */
export const makeBase = async (folder: string, prefix: string): Promise<string> => {
  const base = join(folder, 'base');
  await mkdir(base);
  await symlink(prefix, join(base, 'prefix'));
  return base;
};

export interface WineTerminal {
  launcher: Launcher;
  box: Box;
  program: Program;
  processes: Processes;
  screen: Screen;
}

/** A terminal of the launcher. @param name of a program that comes with Wine and plays it */
export const openTerminal = (launcher: Launcher, folder: string, name = 'notepad.exe'): WineTerminal => {
  const box = launcher.toBox(folder);
  const program: Program = {
    command: [join(box.home, 'windows/system32', name)],
    folder: join(box.home, 'terminal'),
    mark: name,
  };
  return { launcher, box, program, processes: launcher.processes(box, program), screen: launcher.screen(box) };
};

/** Another agent's view of the same terminal. */
export const reopenTerminal = (terminal: WineTerminal, launcher: Launcher): WineTerminal =>
  openTerminal(launcher, terminal.box.folder, basename(terminal.program.command[0]));

/** Who operates its window. */
export const openWindow = ({ program, screen }: WineTerminal): RealWindow =>
  new RealWindow(screen, basename(program.command[0]));

export const install = async ({ launcher, box, program }: WineTerminal, base: string): Promise<void> => {
  await launcher.install(box, base);
  await mkdir(program.folder, { recursive: true });
};

/** Starts it and waits for its window. */
export const start = async ({ processes, screen }: WineTerminal) => {
  await screen.open();
  const handle = await processes.start({ args: [], environment: { TZ: 'Europe/Berlin' } });
  await until(async () => {
    if (await screen.hasWindow()) return true;
    assert.ok(await processes.isRunning(handle), `the program ended before it showed a window: ${handle.id}`);
    return false;
  });
  return handle;
};

/** Where the box and the agent exchange files. */
export const toRunFolder = ({ box }: WineTerminal): string => toBoxPaths(box.folder).run;

/** All processes of the terminal's box. */
export const listProcesses = async (terminal: WineTerminal): Promise<BoxProcesses> => {
  const mark = await findMark(toRunFolder(terminal));
  return mark === undefined ? { inside: [], outside: [] } : listBoxProcesses(mark);
};

/** Waits for a condition, for as long as the test may take. */
export const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await condition())) await sleep(20);
};

/** The whole life of one terminal, which a plain user's agent goes through in a program of its own. */
export const liveThrough = async (place: LauncherPlace, base: string, name: string): Promise<Buffer> => {
  const terminal = openTerminal(openLauncher(place), join(place.folder, 'terminal'), name);
  const { launcher, box, processes, screen } = terminal;
  assert.equal(await processes.find(), undefined);
  await install(terminal, base);
  assert.equal(await processes.find(), undefined);
  const handle = await start(terminal);
  assert.equal(await processes.isRunning(handle), true);
  const screenshot = await screen.capture({ width: 640, height: 480 });
  const next = reopenTerminal(terminal, openLauncher(place));
  assert.deepEqual(await next.processes.find(), handle);
  assert.equal(await next.screen.hasWindow(), true);
  await next.processes.close(handle);
  await until(async () => !(await processes.isRunning(handle)));
  assert.equal(await processes.find(), undefined);
  await processes.clear();
  assert.equal(await screen.hasWindow().catch((error: Error) => error.name), 'LauncherError');
  await launcher.remove(box);
  await assert.rejects(lstat(box.folder), { code: 'ENOENT' });
  return screenshot;
};
