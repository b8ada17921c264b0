import { isAbsolute, relative } from 'node:path';
import { findInside } from '../../files/folder.ts';

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
