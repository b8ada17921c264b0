/**
 * Files that are replaced as a whole. After a crash at any moment, including a power cut, a file has the old content or
 * the new one, and once the promise has resolved, the new one.
 */
import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Makes a rename or creation inside the folder survive a power cut. */
const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

export const DRAFT_ENDING = '.new';

export interface ReplaceOptions {
  /** Of the new file. */
  mode?: number;
}

/** Replaces a file. Concurrent calls do no harm: the result is one content or the other. */
export const replaceFile = async (
  path: string,
  content: Buffer | string,
  { mode = 0o600 }: ReplaceOptions = {},
): Promise<void> => {
  const draft = `${path}.${randomBytes(4).toString('hex')}${DRAFT_ENDING}`;
  try {
    const file = await open(draft, 'wx', mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
};

/**
 * Removes drafts left by a program that was killed while it replaced the file. Must not be called during a
 * `replaceFile`.
 */
export const removeDrafts = async (path: string): Promise<void> => {
  const [folder, prefix] = [dirname(path), `${basename(path)}.`];
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const drafts = names.filter((name) => name.startsWith(prefix) && name.endsWith(DRAFT_ENDING));
  await Promise.all(drafts.map((name) => rm(join(folder, name), { force: true })));
};

/**
 * Replaces a file (mode 0600) that only this program writes, and that is then appended to. A draft left by a killed run
 * is reused.
 * @returns the new file, open for appending
 */
export const replaceAndOpenFile = async (path: string, content: string): Promise<FileHandle> => {
  const draft = `${path}${DRAFT_ENDING}`;
  const file = await open(draft, 'a', 0o600);
  try {
    await file.truncate(0);
    await file.appendFile(content);
    await file.sync();
    await rename(draft, path);
    await syncFolder(dirname(path));
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
};
