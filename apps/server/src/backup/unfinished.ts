/**
 * The mark of a restoration under way: a folder in the data directory, made before anything else and removed after everything
 * else. While it is there, whatever the reason, the data directory is no instance: the server and every other command refuse
 * it, and only another restoration may use it, which begins anew.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const NAME = 'restore.unfinished';

export const toMark = (dataDir: string): string => join(dataDir, NAME);

/** @throws with the ways out when a restoration into this data directory did not end */
export const assertRestored = (dataDir: string): void => {
  if (!existsSync(toMark(dataDir))) return;
  throw new Error(
    `a restoration into ${dataDir} is under way or was interrupted, so what is there is not whole. Run script/restore with the ` +
      'same BERTH_DATA_DIR once more (it clears the folder and begins anew), or use another data directory.',
  );
};
