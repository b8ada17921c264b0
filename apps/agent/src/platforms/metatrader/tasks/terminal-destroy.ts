import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TaskHandler } from './task-run.ts';

/** The unit in which `lstat` counts blocks, whatever the file system's own block size. */
const BLOCK_BYTES = 512;

/** What a file or folder occupies on the disk; 0 when it does not exist. */
const measureBytes = async (path: string): Promise<number> => {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) return 0;
  const entries = stats.isDirectory() ? await readdir(path).catch((): string[] => []) : [];
  let bytes = stats.blocks * BLOCK_BYTES;
  for (const entry of entries) bytes += await measureBytes(join(path, entry));
  return bytes;
};

/** TERMINAL_DESTROY. Works on whatever is there: a running terminal, half an installation, nothing. */
export const terminalDestroy: TaskHandler<'TERMINAL_DESTROY'> = async ({ terminal, steps }) => {
  const { home, launcher, box, record, live, observations } = terminal;
  await steps.run('stop_terminal', async () => {
    // Said first: whatever happens from here on, this terminal is not started again.
    if (record.get().isInstalled) await record.update({ isInstalled: false, shouldRun: false });
    await live.stop();
    live.detach();
    return { message: 'The terminal does not run.' };
  });
  await steps.run('remove_files', async () => {
    const existing = await measureBytes(home.folder);
    await record.remove();
    await launcher.remove(box);
    observations.clear();
    const freed = existing - (await measureBytes(home.folder));
    return { message: 'The files of the terminal were removed.', data: { freed_bytes: freed } };
  });
};
