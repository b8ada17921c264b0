import { join } from 'node:path';
import { toHomeBox, type Box } from '../launcher.ts';
import { MARKED_FOLDER } from './box-walk.ts';

/** Where the parts of one terminal's box lie on the host. Only `prefix` and `run` can be written from inside. */
export interface BoxPaths {
  folder: string;
  prefix: string;
  /** The exchange between the box and the agent. Created once and never replaced: its inode identifies the box. */
  run: string;
  /** Held for as long as a box runs. */
  lock: string;
  /** The error output of the box's start. */
  log: string;
  /** Which base it was filled from. */
  base: string;
}

const PREFIX = 'prefix';
const DRIVE_C = 'drive_c';

/** Pure. */
export const toBoxPaths = (folder: string): BoxPaths => ({
  folder,
  prefix: join(folder, PREFIX),
  run: join(folder, 'run'),
  lock: join(folder, 'box.lock'),
  log: join(folder, 'box.log'),
  base: join(folder, 'box.json'),
});

/** The box under Wine of the terminal whose folder this is. Pure. */
export const toWineBox = (folder: string): Box => toHomeBox(folder, join(folder, PREFIX, DRIVE_C));

/** The paths of the same folders where the terminal runs: different ones in a box, the host's without one. */
export interface InsidePaths {
  prefix: string;
  run: string;
  home: string;
}

/** Pure. */
export const toInsidePaths = (paths: BoxPaths, isolation: 'full' | 'none'): InsidePaths =>
  isolation === 'full'
    ? { prefix: '/prefix', run: MARKED_FOLDER, home: '/home/trader' }
    : { prefix: paths.prefix, run: paths.run, home: paths.run };
