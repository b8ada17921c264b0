/** Flushes what was written to disk, so that a power cut right after "done" loses nothing. */
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export const syncFile = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
};

/** Flushes a folder's names. Some file systems do not support that, and a write-only folder cannot be opened for it. */
export const syncFolder = async (path: string): Promise<void> => {
  try {
    await syncFile(path);
  } catch (error) {
    if (!/^E(ACCES|PERM|INVAL|ISDIR|NOTSUP)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
};

/** A folder with everything in it; anything that is neither file nor folder is only a name in its folder. */
export const syncTree = async (folder: string, signal: AbortSignal): Promise<void> => {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    signal.throwIfAborted();
    if (entry.isDirectory()) await syncTree(join(folder, entry.name), signal);
    else if (entry.isFile()) await syncFile(join(folder, entry.name));
  }
  await syncFolder(folder);
};
