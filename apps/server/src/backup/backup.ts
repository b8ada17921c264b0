/**
 * Writes everything an instance needs to one file, while it runs or while it is stopped: the database (as of one
 * moment), the keys, the folders of local hosts and of the sandbox broker. Mails, and what can be rebuilt, are left
 * out.
 *
 * The hosts' folders are read before the database. So a task that ends in between is COMPLETED in the backup, and its
 * entry in the host's journal is merely out of date; in the other order the host would carry it out a second time.
 */
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { withDatabase, type WithDatabaseOptions } from '../db/with-database.ts';
import { Draft } from './archive.ts';
import { writeTables, type Contents } from './copy.ts';
import { assertRestored } from './unfinished.ts';

/** The first entry of the file. */
export const MANIFEST = 'backup.json';
export const DATABASE = 'database';
/** Folders of the data directory. */
export const FOLDERS = ['agent', 'sandbox'];
export const KEY_FILE = 'secret.key';
export const FORMAT = 1;

export interface Manifest extends Contents {
  format: number;
  made_at: string;
}

export interface BackupOptions extends WithDatabaseOptions {
  file: string;
}

const assertFree = async (file: string): Promise<void> => {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (isThere) throw new Error(`${file} exists already; a backup overwrites nothing`);
};

/** @throws with what to do when something is in the way, or when it was aborted; then nothing is left behind */
export const writeBackup = async (options: BackupOptions): Promise<Manifest> => {
  const { dataDir, signal } = options;
  const file = resolve(options.file);
  assertRestored(dataDir);
  await assertFree(file);
  const staging = await mkdtemp(join(dirname(file), '.berth-backup-'));
  try {
    const draft = new Draft(join(staging, 'draft.tar'), signal);
    await writeFile(draft.path, '', { mode: 0o600 });
    await draft.add(dataDir, FOLDERS, ['agent/base']);
    const contents = await withDatabase(options, (url) => writeTables(url, join(staging, DATABASE), signal));
    const manifest: Manifest = { format: FORMAT, made_at: new Date().toISOString(), ...contents };
    await writeFile(join(staging, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    await draft.add(dataDir, [KEY_FILE]);
    await draft.add(staging, [DATABASE, MANIFEST]);
    await draft.finish(file);
    return manifest;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await rm(staging, { recursive: true, force: true, maxRetries: 5 });
  }
};
