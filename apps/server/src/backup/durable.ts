/** Sees to it that what was written is on the disk, so that a power cut right after "done" takes nothing back. */
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export const syncFile = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
};

/** A folder's names. Some file systems have nothing like it, and a folder that one may only write to cannot be asked. */
export const syncFolder = async (path: string): Promise<void> => {
  try {
    await syncFile(path);
  } catch (error) {
    if (!/^E(ACCES|PERM|INVAL|ISDIR|NOTSUP)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
};

/** A folder with all that it holds; what is neither file nor folder is only a name in its folder. */
export const syncTree = async (folder: string, signal: AbortSignal): Promise<void> => {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    signal.throwIfAborted();
    if (entry.isDirectory()) await syncTree(join(folder, entry.name), signal);
    else if (entry.isFile()) await syncFile(join(folder, entry.name));
  }
  await syncFolder(folder);
};
