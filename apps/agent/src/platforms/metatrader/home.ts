import { join } from 'node:path';
import { Inside } from '@berth/kit';
import type { Box } from '../../launchers/launcher.ts';
import type { Edition } from './edition.ts';

/** The folders of one terminal on the host. */
export interface TerminalHome {
  /** Everything of this terminal; removing it removes the terminal. */
  folder: string;
  /** The terminal's installation, which is also its data folder. Its path is for people: what stands in it is in `files`. */
  root: string;
  /** The files of the installation, and of the box's home around it. Whatever runs in the box may own and change them. */
  files: Inside;
  drive: Inside;
  /** The start file in the box's home, and what the terminal calls the same file. */
  startFile: { name: string; insidePath: string };
}

const START_FILE = 'berth.ini';

/** Pure. */
export const toTerminalHome = (box: Box, { folderName }: Edition): TerminalHome => {
  const { folder, home } = box;
  const root = join(home, folderName);
  return {
    folder,
    root,
    files: new Inside({ anchor: folder, home, root }),
    drive: new Inside({ anchor: folder, home, root: home }),
    startFile: { name: START_FILE, insidePath: box.toInside(join(home, START_FILE)) },
  };
};
