import { open, rename, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes a rename or creation inside the folder survive a power cut. Windows cannot open folders and needs no such call. */
const syncFolder = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

/**
 * Replaces a file (mode 0600) as a whole: after a crash at any moment it holds either the old content or the new one.
 * @returns the new file, open for appending
 */
export const replaceAndOpenFile = async (path: string, content: string): Promise<FileHandle> => {
  const temporary = `${path}.new`;
  const file = await open(temporary, 'a', 0o600);
  try {
    await file.truncate(0);
    await file.appendFile(content);
    await file.sync();
    await rename(temporary, path);
    await syncFolder(dirname(path));
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
};

/** As `replaceAndOpenFile`, for a file that is only ever written as a whole. */
export const replaceFile = async (path: string, content: string): Promise<void> => {
  const file = await replaceAndOpenFile(path, content);
  await file.close();
};
