import { mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const findEntry = (folder: string, name: string): string | undefined => {
  try {
    const entries = readdirSync(folder);
    return entries.includes(name) ? name : entries.find((entry) => entry.toLowerCase() === name.toLowerCase());
  } catch {
    return undefined;
  }
};

/**
 * The path below a root as it is spelt on disk. Windows does not distinguish `Config` from `config`, so a file of
 * either spelling is the file; parts that do not exist keep the given spelling.
 */
export const resolveOnDisk = (root: string, relative: string): string =>
  relative
    .split(/[\\/]+/)
    .filter((part) => part !== '')
    .reduce((folder, part) => join(folder, findEntry(folder, part) ?? part), root);

/** A file inside the root, or undefined where the path leads out of it. */
export const findInside = (root: string, relative: string): string | undefined =>
  relative.split(/[\\/]+/).some((part) => part === '..' || part.includes('\0'))
    ? undefined
    : resolveOnDisk(root, relative);

/**
 * The on-disk path of a file, with its folder created; an existing folder of another case is used, never duplicated.
 */
export const ensureFolderOf = (root: string, relative: string): string => {
  const path = resolveOnDisk(root, relative);
  mkdirSync(dirname(path), { recursive: true });
  return path;
};

/** A server's name as a folder name: no separators, no control characters, no `..`. */
export const toFolderName = (name: string): string => {
  // eslint-disable-next-line no-control-regex -- removing control characters is the purpose
  const safe = name.replace(/[\\/:*?"<>|\u0000-\u001f]/g, '_').slice(0, 100);
  return /^\.*$/.test(safe) ? '_' : safe;
};
