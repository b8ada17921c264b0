/**
 * The mark of a restore in progress: a folder in the data directory, created first and removed last. While it exists,
 * for whatever reason, the data directory is not an instance: the server and every other command refuse it, and only
 * another restore may use it, which starts over.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const NAME = 'restore.unfinished';

export const toMark = (dataDir: string): string => join(dataDir, NAME);

/** @throws with the ways out when a restore into this data directory did not finish */
export const assertRestored = (dataDir: string): void => {
  if (!existsSync(toMark(dataDir))) return;
  throw new Error(
    `a restoration into ${dataDir} is under way or was interrupted, so what is there is not whole. Run script/restore with the ` +
      'same BERTH_DATA_DIR once more (it clears the folder and begins anew), or use another data directory.',
  );
};
