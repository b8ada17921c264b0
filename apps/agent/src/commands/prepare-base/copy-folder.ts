import { constants } from 'node:fs';
import { cp, lstat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { terminalPlaces, type BasedPlatform } from '../../bases/places.ts';
import { CommandError } from '@berth/command';

/** Traces of a terminal's use on another machine, which a new one must not start with. */
const LEFT_BEHIND = new Set(['accounts.dat', 'logs', 'crash', 'liveupdate']);

/** Throws a CommandError where the folder holds no terminal of the platform. */
export const assertTerminalFolder = async (folder: string, platform: BasedPlatform): Promise<void> => {
  const { program } = terminalPlaces[platform];
  const stats = await lstat(join(folder, program)).catch(() => undefined);
  if (stats?.isFile()) return;
  throw new CommandError(`${folder} holds no ${program}. Give the folder in which the terminal is installed.`);
};

/**
 * Copies the folder of an installed terminal, without its accounts and journals. Links and special files are skipped.
 */
export const copyTerminalFolder = (from: string, to: string): Promise<void> =>
  cp(from, to, {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    filter: async (path) => {
      if (path === from) return true;
      if (LEFT_BEHIND.has(basename(path).toLowerCase())) return false;
      const stats = await lstat(path);
      return stats.isFile() || stats.isDirectory();
    },
  });
