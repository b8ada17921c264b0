import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { toHomeBox } from '../home-box.ts';
import type { Box } from '../launcher.ts';
import type { ProcessQuestion } from './windows-session.ts';

export type ToWindowsPath = (path: string) => string;

/** Unlike under Wine, its content has the same name on a drive of Windows. */
const HOME = 'home';

/** The box of the terminal whose folder this is. Pure. */
export const toWindowsBox = (folder: string, toWindowsPath: ToWindowsPath): Box => {
  const home = join(folder, HOME);
  return toHomeBox(folder, home, toWindowsPath(home));
};

/** The name of the job that all processes of a box are in; in the user's session, where nobody else uses such names. */
const toJobName = (folder: string): string =>
  `berth-${createHash('sha256').update(folder.toLowerCase()).digest('hex').slice(0, 16)}`;

/** All processes of a box: those in its job, and those of executables in its folder, whoever started them. */
export const toBoxQuestion = (box: Box, toWindowsPath: ToWindowsPath): ProcessQuestion => {
  const folder = toWindowsPath(box.folder);
  return { path: `${folder}\\`, job: toJobName(folder) };
};
