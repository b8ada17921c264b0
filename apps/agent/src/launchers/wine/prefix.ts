/**
 * The files of one terminal's Wine: everything is its own except `windows/`, which it shares with its base and cannot
 * change.
 */
import { constants } from 'node:fs';
import { copyFile, cp, lstat, mkdir, readFile, readlink, realpath, rename, rm, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { replaceFile, ConfinedFiles, UnsafeFileError } from '@berth/kit';
import { LauncherError } from '../launcher.ts';
import { withLauncherErrors } from '../process/launcher-errors.ts';
import type { BoxPaths } from './box-paths.ts';
import { removeTree } from './host-tools.ts';

const WINDOWS = join('drive_c', 'windows');
const DEVICES = 'dosdevices';
/** Parts of a prefix that are shared, recreated, or only used by a running server. */
const LEFT_OUT = /^(drive_c\/windows|dosdevices|wineserver|wine-\w+)$/;
const BASE_RECORD = 'base.json';

const isFolder = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isDirectory() ?? false;

/**
 * Fills the prefix from a base, whole or not at all. Where the file system supports it, the copy shares its blocks with
 * the base. Links out of the prefix are not copied: drive C is the only device.
 */
export const installPrefix = (paths: BoxPaths, base: string): Promise<void> =>
  withLauncherErrors(async () => {
    const source = await realpath(join(base, 'prefix'));
    await lstat(join(source, WINDOWS));
    const draft = `${paths.prefix}.partial`;
    await removeTree(draft);
    await mkdir(paths.folder, { recursive: true });
    const isLeftOut = (path: string) => LEFT_OUT.test(relative(source, path));
    await cp(source, draft, {
      recursive: true,
      mode: constants.COPYFILE_FICLONE,
      verbatimSymlinks: true,
      filter: (path) => !isLeftOut(path),
    });
    await mkdir(join(draft, DEVICES));
    await symlink('../drive_c', join(draft, DEVICES, 'c:'));
    await replaceFile(paths.base, JSON.stringify({ version: 1, base }));
    await copyBaseRecord(paths, base);
    await removeTree(paths.prefix);
    await rename(draft, paths.prefix);
  });

/** Records the base in the terminal's folder. */
const copyBaseRecord = async ({ folder }: BoxPaths, base: string): Promise<void> => {
  const copy = join(folder, BASE_RECORD);
  await copyFile(join(base, BASE_RECORD), copy).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await rm(copy, { force: true });
  });
};

/** The folder of the base that the prefix was filled from; undefined for a prefix with a `windows/` of its own. */
export const findBase = async (paths: BoxPaths): Promise<string | undefined> => {
  const text = await readFile(paths.base, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { base } = JSON.parse(text) as { base: string };
  if (await isFolder(join(base, 'prefix', WINDOWS))) return base;
  throw new LauncherError('missing', `The base ${base}, which this terminal was made from, is gone. Put it back.`);
};

/** Pure. */
export const toWindowsFolder = (prefix: string): string => join(prefix, WINDOWS);

/**
 * Creates the mount points of `windows/` and the `run` folder in the prefix: empty folders for mounts in a box, links
 * without one. Nothing runs in the prefix; what ran there before may have left anything.
 */
export const prepareMountPoints = async (
  { prefix, run }: BoxPaths,
  { base, isolation }: { base: string | undefined; isolation: 'full' | 'none' },
): Promise<void> => {
  for (const folder of [prefix, join(prefix, 'drive_c')]) {
    // Without a base the prefix has yet to be created, in the box.
    if (base === undefined) await mkdir(folder, { recursive: true });
    if (await isFolder(folder)) continue;
    throw new LauncherError('missing', `${folder} is not a folder any more. Destroy the terminal and create it anew.`);
  }
  const isBoxed = isolation === 'full';
  await ensurePlace(join(prefix, 'drive_c', 'berth'), isBoxed ? undefined : run);
  if (base !== undefined) {
    await ensurePlace(toWindowsFolder(prefix), isBoxed ? undefined : toWindowsFolder(join(base, 'prefix')));
  }
};

/** @param target of a link; undefined for a folder */
const ensurePlace = async (path: string, target: string | undefined): Promise<void> => {
  const stats = await lstat(path).catch(() => undefined);
  if (target === undefined ? stats?.isDirectory() : stats?.isSymbolicLink() && (await readlink(path)) === target)
    return;
  await removeTree(path);
  await (target === undefined ? mkdir(path) : symlink(target, path));
};

/** Wine's own has less than two megabytes. */
const MAX_REGISTRY_BYTES = 8 * 1024 * 1024;

const CODE_PAGE = /^\[System\\\\CurrentControlSet\\\\Control\\\\Nls\\\\Codepage\][^[]*?^"ACP"="(\d{1,5})"/im;

/**
 * The code page of a prefix. Wine takes it from the locale of its environment, and writes it to the registry whenever that
 * is another one than before. Programs in the box may have changed the file.
 * @returns null where it says nothing, undefined where there is none yet
 */
export const findPrefixCodePage = async ({ folder, prefix }: BoxPaths): Promise<number | null | undefined> => {
  const files = new ConfinedFiles({ anchor: folder, home: prefix, root: prefix });
  try {
    const registry = await files.findBytes('system.reg', MAX_REGISTRY_BYTES);
    if (!registry) return undefined;
    const number = CODE_PAGE.exec(registry.toString('latin1'))?.[1];
    return number === undefined ? null : Number(number);
  } catch (error) {
    return error instanceof UnsafeFileError ? null : undefined;
  }
};
