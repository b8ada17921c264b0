import { isAbsolute, relative } from 'node:path';
import { findInside } from '../../files/folder.ts';
import { Ini } from '../../files/ini.ts';
import { findText } from '../../files/text-file.ts';
import type { Journal } from '../journal.ts';
import type { CommandLine } from '../platform/command-line.ts';
import type { Platform } from '../platform/platform.ts';
import type { StartFile } from '../platform/start-file.ts';

/** The unix folder that `C:\` maps to, and the conversion between both kinds of path. */
export class Drive {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** The file of a Windows path on C:, or undefined for anything else: another drive, a unix path, a way out of the drive. */
  findFile(windowsPath: string): string | undefined {
    const rest = /^[cC]:[\\/]+(.*)$/.exec(windowsPath)?.[1];
    return rest === undefined ? undefined : findInside(this.folder, rest);
  }

  /** The terminal's name for a unix path: on C: if it is inside, else on Z:, as under Wine. */
  toWindowsPath(path: string): string {
    const inside = relative(this.folder, path);
    const isOnC = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
    return (isOnC ? `C:/${inside}` : `Z:${path}`).replaceAll('/', '\\');
  }
}

/** Where the start file is: on C: for a Windows path, in the terminal's folder for a relative one. */
const findPath = (root: string, drive: Drive, given: string): string | undefined =>
  drive.findFile(given) ?? (/^[a-z]:|"/i.test(given) ? undefined : findInside(root, given));

/**
 * Reads the start file of the command line; undefined without one, 'failed' when it cannot be loaded. A unix path is
 * silently ignored, as in a terminal under Wine.
 */
export const readStartFile = (
  platform: Platform,
  drive: Drive,
  root: string,
  commandLine: CommandLine,
  journal: Journal,
): StartFile | 'failed' | undefined => {
  const given = platform.findStartPath(commandLine);
  if (given === undefined || given.startsWith('/')) return undefined;
  const path = findPath(root, drive, given);
  const text = path === undefined ? undefined : findText(path);
  if (text === undefined) {
    journal.print('Terminal', `cannot load config "${given}" at start`, 2);
    journal.print('Startup', 'invalid configuration file (-1)', 2);
    return 'failed';
  }
  journal.print('Startup', `successfully initialized from start config "${given}"`);
  journal.print('Terminal', `launched with ${given}`);
  return platform.parseStartFile(new Ini(text));
};
