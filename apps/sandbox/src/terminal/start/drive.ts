import { isAbsolute, relative } from 'node:path';
import { findInside } from '../../files/folder.ts';

/** The unix folder that `C:\` stands for, and the way between both spellings of a path. */
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

  /** How the terminal names a unix path: on C: where it lies there, else on Z:, as Wine does. */
  toWindowsPath(path: string): string {
    const inside = relative(this.folder, path);
    const isOnC = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
    return (isOnC ? `C:/${inside}` : `Z:${path}`).replaceAll('/', '\\');
  }
}
