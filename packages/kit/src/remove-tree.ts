import { randomBytes } from 'node:crypto';
import { chmod, lstat, open, opendir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { constants, existsSync } from 'node:fs';
import { join } from 'node:path';

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** A path has 4,096 bytes at most, so anything deeper has none; and folders without permissions cannot be listed. */
const isUnreachable = (error: unknown): boolean => ['ENAMETOOLONG', 'EACCES', 'EPERM'].includes(codeOf(error) ?? '');

/** Each round makes a tree flatter; one that never gets empty is still being written to. */
const MAX_ROUNDS = 100_000;

const withFolder = async <Result>(path: string, act: (held: string) => Promise<Result>): Promise<Result> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    return await act(`/proc/self/fd/${handle.fd}`);
  } finally {
    await handle.close();
  }
};

/**
 * Empties a folder inside the top one: files are deleted, folders are moved up into the top, where they are processed
 * later.
 */
const empty = async (top: string, name: string, toName: () => string): Promise<void> => {
  const path = join(top, name);
  await chmod(path, 0o700);
  await withFolder(path, async (folder) => {
    for await (const entry of await opendir(folder)) {
      const inside = join(folder, entry.name);
      if (!entry.isDirectory()) {
        await unlink(inside);
        continue;
      }
      // Moving a folder requires write permission on it.
      await chmod(inside, 0o700);
      await rename(inside, join(top, toName()));
    }
  });
  await rmdir(path).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOTEMPTY') throw error;
  });
};

/** @returns whether anything was left in the folder */
const flatten = async (top: string, toName: () => string): Promise<boolean> => {
  let isEmpty = true;
  for await (const entry of await opendir(top)) {
    isEmpty = false;
    if (entry.isDirectory()) await empty(top, entry.name, toName);
    else await unlink(join(top, entry.name));
  }
  return !isEmpty;
};

const removeDeep = async (path: string): Promise<void> => {
  const prefix = `.gone-${randomBytes(4).toString('hex')}-`;
  let count = 0;
  const toName = () => `${prefix}${(count += 1)}`;
  await chmod(path, 0o700);
  await withFolder(path, async (top) => {
    for (let round = 0; round < MAX_ROUNDS; round += 1) if (!(await flatten(top, toName))) return;
  });
  await rmdir(path);
};

/**
 * Removes a folder with everything in it, or a file; does nothing where there is none. The program that filled the
 * folder cannot prevent it by folders nested too deep for any path, or without permissions. Nothing writes there any
 * more.
 */
export const removeTree = async (path: string): Promise<void> => {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  } catch (error) {
    if (!isUnreachable(error) || !existsSync('/proc/self/fd') || !(await lstat(path)).isDirectory()) throw error;
    await removeDeep(path);
  }
};
