import { basename, join } from 'node:path';
import type { Box, Launcher, Program } from '../launcher.ts';
import { toWineBox } from './box-paths.ts';
import type { WatchedFolder } from './disk-watch.ts';
import { WineBox } from './wine-box.ts';
import { WineHost, type WineHostOptions } from './wine-host.ts';
import { WINE_LAUNCHER, WineProcesses } from './wine-processes.ts';
import { isProgram32 } from './wine-programs.ts';
import { WineScreen } from './wine-screen.ts';
import { findPrefixCodePage } from './prefix.ts';

const MEBIBYTE = 1024 * 1024;

interface Known {
  box: WineBox;
  program?: Program;
}

const toWatched = (box: WineBox): WatchedFolder => ({ folder: box.paths.folder, end: () => box.end() });

export interface WineRun {
  /** A program by its path on the host or by Wine's own name, such as `wineboot.exe`, and its arguments. */
  command: readonly [program: string, ...args: string[]];
  environment?: Readonly<Record<string, string>>;
  timeoutMs: number;
}

export interface WineLauncher extends Launcher {
  /**
   * The box of the terminal with this folder. A folder that was not filled from a base has the whole prefix to itself.
   */
  openBox(folder: string): WineBox;
  /**
   * Runs a program to its end, in drive C, beside the terminal or without one: the box is started if it is not running.
   * Throws a LauncherError (`screen`) on timeout.
   */
  run(box: Box, program: WineRun): Promise<{ exitCode: number }>;
}

/** Runs Windows terminals under Wine, each in a box, a prefix and on a screen of its own. */
export const createWineLauncher = (options: WineHostOptions): WineLauncher => {
  const host = new WineHost(options);
  const known = new Map<string, Known>();
  const open = (folder: string): Known => {
    const found = known.get(folder);
    if (found) return found;
    const made: Known = { box: new WineBox(host, folder, () => made.program?.command[0]) };
    known.set(folder, made);
    return made;
  };
  const toScreen = ({ folder }: Box): WineScreen => {
    const terminal = open(folder);
    const findProgram = () => terminal.program && basename(terminal.program.command[0]);
    return new WineScreen(terminal.box, host, findProgram);
  };
  return {
    name: WINE_LAUNCHER,
    isolation: options.settings.isolation,
    terminalMemoryMb: options.settings.limits.memoryBytes / MEBIBYTE,
    toBox: toWineBox,
    install: ({ folder }, base) => open(folder).box.install(base),
    remove: async ({ folder }) => {
      await open(folder).box.remove();
      known.delete(folder);
    },
    processes: (home, program) => {
      const terminal = open(home.folder);
      terminal.program = program;
      const { box } = terminal;
      const onAlive = () => host.disk.note(toWatched(box), () => [...known.values()].map((one) => toWatched(one.box)));
      return new WineProcesses({ box, home, program, host, screen: toScreen(home), onAlive });
    },
    screen: toScreen,
    findCodePage: ({ folder }) => findPrefixCodePage(open(folder).box.paths),
    openBox: (folder) => open(folder).box,
    run: async (home, { command: [program, ...args], ...rest }) => {
      const { box } = open(home.folder);
      await box.open();
      const { loader64, loader32 = loader64 } = await host.getPrograms();
      const isOnHost = program.startsWith(`${home.home}/`);
      const loader = isOnHost && (await isProgram32(program)) ? loader32 : loader64;
      const command = [loader, isOnHost ? home.toInside(program) : program, ...args];
      return {
        exitCode: await box.exchange.runToEnd({ ...rest, folder: join(box.inside.prefix, 'drive_c'), command }),
      };
    },
  };
};
