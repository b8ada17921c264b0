import { join } from 'node:path';
import type { Box } from '../../launchers/launcher.ts';
import type { Edition } from './edition.ts';

/** The folders of one terminal on the host. */
export interface TerminalHome {
  /** Everything of this terminal; removing it removes the terminal. */
  folder: string;
  /** The terminal's installation, which is also its data folder. */
  root: string;
  /** The start file: where we write it, and what the terminal calls the same file. */
  startFile: { path: string; insidePath: string };
}

/** Pure. */
export const toTerminalHome = (box: Box, { folderName }: Edition): TerminalHome => {
  const path = join(box.home, 'berth.ini');
  return {
    folder: box.folder,
    root: join(box.home, folderName),
    startFile: { path, insidePath: box.toInside(path) },
  };
};
