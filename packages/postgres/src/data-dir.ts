import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ensureAccount } from './account.ts';

/**
 * Creates a data directory that others may not enter. Where root makes it, the account of PostgreSQL may pass, so that
 * the database can be in it. What is there keeps its modes.
 */
export const ensureDataDir = async (dataDir: string): Promise<void> => {
  const made = mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (made === undefined || process.getuid?.() !== 0) return;
  const { gid } = await ensureAccount();
  for (let folder = resolve(dataDir); folder.length >= resolve(made).length; folder = dirname(folder)) {
    chownSync(folder, 0, gid);
    chmodSync(folder, 0o710);
  }
};
