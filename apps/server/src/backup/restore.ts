/** Makes a data directory, and fills an empty database, from the file of a backup. The next start of the server migrates it. */
import { access, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@berth/kit';
import { toPrimaryUrl } from '../db/address.ts';
import { startEmbeddedPostgres } from '@berth/postgres';
import { migrate } from '../db/migrate.ts';
import { unpack } from './archive.ts';
import { DATABASE, FOLDERS, FORMAT, KEY_FILE, MANIFEST, type Manifest } from './backup.ts';
import { isEmptyDatabase, readTables } from './copy.ts';

export interface RestoreOptions {
  /** Empty, or not there yet. */
  dataDir: string;
  /** Of an empty database; unset: an embedded one is made in the data directory. */
  databaseUrl: string | undefined;
  file: string;
  /** The folder of the migrations. */
  migrations: string;
  log: Logger;
}

const STAGING = 'restore.draft';

const ensureEmptyFolder = async (path: string): Promise<void> => {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const [first] = await readdir(path);
  if (first === undefined) return;
  throw new Error(`${path} is not empty; restore into a new folder (BERTH_DATA_DIR)`);
};

const readManifest = async (staging: string): Promise<Manifest> => {
  const text = await readFile(join(staging, MANIFEST), 'utf8').catch((cause: unknown) => {
    throw new Error('this file is no backup of Berth', { cause });
  });
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.format !== FORMAT) throw new Error('this backup was made by a newer version of Berth; use that one');
  return manifest;
};

const fillDatabase = async (url: string, staging: string, manifest: Manifest, migrations: string): Promise<void> => {
  if (!(await isEmptyDatabase(url))) throw new Error('the database is not empty; create a new one to restore into');
  await migrate(url, migrations, new Set(manifest.migrations.map(({ name }) => name)));
  await readTables(url, join(staging, DATABASE), manifest);
};

const restoreDatabase = async (options: RestoreOptions, staging: string, manifest: Manifest): Promise<void> => {
  const { dataDir, databaseUrl, migrations, log } = options;
  if (databaseUrl !== undefined) return fillDatabase(await toPrimaryUrl(databaseUrl), staging, manifest, migrations);
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  try {
    await fillDatabase(postgres.url, staging, manifest, migrations);
  } catch (error) {
    await postgres.stop();
    postgres.remove();
    throw error;
  }
  await postgres.stop();
};

const moveIfThere = async (from: string, to: string): Promise<boolean> => {
  const isThere = await access(from).then(
    () => true,
    () => false,
  );
  if (isThere) await rename(from, to);
  return isThere;
};

/**
 * @returns whether the keys were in the backup; otherwise they are in BERTH_SECRET_KEY
 * @throws with what to do when something is in the way; then the folder is as empty as it was
 */
export const restoreBackup = async (options: RestoreOptions): Promise<{ manifest: Manifest; hasKeys: boolean }> => {
  const { dataDir, file } = options;
  await access(file);
  await ensureEmptyFolder(dataDir);
  const staging = join(dataDir, STAGING);
  try {
    await mkdir(staging, { mode: 0o700 });
    await unpack(file, staging);
    const manifest = await readManifest(staging);
    await restoreDatabase(options, staging, manifest);
    for (const name of FOLDERS) await moveIfThere(join(staging, name), join(dataDir, name));
    const hasKeys = await moveIfThere(join(staging, KEY_FILE), join(dataDir, KEY_FILE));
    await rm(staging, { recursive: true });
    return { manifest, hasKeys };
  } catch (error) {
    for (const name of await readdir(dataDir)) await rm(join(dataDir, name), { recursive: true, force: true });
    throw error;
  }
};
