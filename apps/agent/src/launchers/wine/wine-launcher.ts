import { basename } from 'node:path';
import type { Box, Launcher, Program } from '../launcher.ts';
import { toWineBox } from './box-paths.ts';
import { WineBox } from './wine-box.ts';
import { WineHost, type WineHostOptions } from './wine-host.ts';
import { WINE_LAUNCHER, WineProcesses } from './wine-processes.ts';
import { WineScreen } from './wine-screen.ts';

interface Known {
  box: WineBox;
  program?: Program;
}

/** Runs Windows terminals under Wine, each in a box, a prefix and on a screen of its own. */
export const createWineLauncher = (options: WineHostOptions): Launcher => {
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
    toBox: toWineBox,
    install: ({ folder }, base) => open(folder).box.install(base),
    remove: async ({ folder }) => {
      await open(folder).box.remove();
      known.delete(folder);
    },
    processes: (home, program) => {
      const terminal = open(home.folder);
      terminal.program = program;
      return new WineProcesses({ box: terminal.box, home, program, host, screen: toScreen(home) });
    },
    screen: toScreen,
  };
};
