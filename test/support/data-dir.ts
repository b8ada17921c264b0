import { readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Removes a stopped instance. As root, its embedded PostgreSQL lives elsewhere, behind a link. */
export const removeData = (dataDir: string): void => {
  try {
    rmSync(readlinkSync(join(dataDir, 'postgres')), { recursive: true, force: true });
  } catch {
    // An ordinary user's is in the data directory itself.
  }
  rmSync(dataDir, { recursive: true, force: true });
};
