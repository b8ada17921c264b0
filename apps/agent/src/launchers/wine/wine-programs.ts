import { constants } from 'node:fs';
import { access, open } from 'node:fs/promises';
import { join } from 'node:path';
import { LauncherError } from '../launcher.ts';
import { readUpTo } from './run-folder.ts';

/**
 * The loaders themselves: a distribution's wrapper script may set WINEDEBUG, which some terminals take for a debugger,
 * and the process that it starts is not the terminal.
 */
export interface WinePrograms {
  folder: string;
  loader64: string;
  /** Undefined where this host runs no 32-bit programs. */
  loader32: string | undefined;
  server: string;
}

const FOLDERS = ['/usr/lib/wine', '/opt/wine-stable/bin', '/opt/wine-staging/bin', '/opt/wine-devel/bin', '/usr/bin'];

const findExecutable = async (paths: readonly string[]): Promise<string | undefined> => {
  for (const path of paths) {
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
};

/** @param folder where they are; undefined to search where Debian and WineHQ install them */
export const findWinePrograms = async (folder: string | undefined): Promise<WinePrograms | undefined> => {
  for (const candidate of folder === undefined ? FOLDERS : [folder]) {
    const loader64 = await findExecutable([join(candidate, 'wine64'), join(candidate, 'wine')]);
    const server = await findExecutable([join(candidate, 'wineserver64'), join(candidate, 'wineserver')]);
    if (loader64 === undefined || server === undefined) continue;
    const loader32 = await findExecutable([join(candidate, 'wine')]);
    return { folder: candidate, loader64, loader32, server };
  }
  return undefined;
};

/** Like findWinePrograms; throws a LauncherError (`missing`) where there are none. */
export const getWinePrograms = async (folder: string | undefined): Promise<WinePrograms> => {
  const programs = await findWinePrograms(folder);
  if (programs) return programs;
  const where = folder === undefined ? 'on this host' : `in ${folder}`;
  throw new LauncherError('missing', `There is no Wine ${where}. Install it, or name its folder in BERTH_AGENT_WINE.`);
};

const MACHINE_386 = 0x14c;
const HEADER_BYTES = 4096;

/**
 * Whether a Windows program is a 32-bit one; false where that cannot be determined. A malicious file can only spoil its
 * own start.
 */
export const isProgram32 = async (path: string): Promise<boolean> => {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (!file) return false;
  try {
    if (!(await file.stat()).isFile()) return false;
    const header = await readUpTo(file, HEADER_BYTES);
    const start = header.length >= 64 ? header.readUInt32LE(60) : HEADER_BYTES;
    if (start + 6 > header.length || header.toString('latin1', start, start + 4) !== 'PE\0\0') return false;
    return header.readUInt16LE(start + 4) === MACHINE_386;
  } finally {
    await file.close();
  }
};
