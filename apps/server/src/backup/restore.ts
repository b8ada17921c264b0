/**
 * Creates a data directory, and fills an empty database, from a backup file. The next start of the server migrates it.
 *
 * It can be killed at any point. The mark (unfinished.ts) is written first and removed last, so nothing takes the
 * folder for an instance before it is one. The key is restored before the rows that it decrypts, and the rows come
 * last, in one transaction: an external database that has them belongs to a folder that has the rest.
 */
import { access, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Logger } from '@berth/kit';
import { discardEmbeddedPostgres, ensureDataDir, lockDataDir, startEmbeddedPostgres } from '@berth/postgres';
import { syncFile, syncFolder, syncTree, unpack } from './archive.ts';
import { DATABASE, FOLDERS, FORMAT, KEY_FILE, MANIFEST, type Manifest } from './backup.ts';
import { assertVital, readTables } from './copy.ts';
import { toMark } from './unfinished.ts';

export interface RestoreOptions {
  /** Empty, missing, or left behind by an interrupted restore. */
  dataDir: string;
  /** Of an empty database; unset: an embedded one is created in the data directory. */
  databaseUrl: string | undefined;
  file: string;
  /** The folder of the migrations. */
  migrations: string;
  log: Logger;
  signal: AbortSignal;
}

export interface Restored {
  manifest: Manifest;
  /** Whether the backup contained the keys; otherwise they are in BERTH_SECRET_KEY. */
  hasKeys: boolean;
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Removes what a restore creates, and nothing else. @throws when the database in it is in use */
const clear = async ({ dataDir, log }: RestoreOptions): Promise<void> => {
  await discardEmbeddedPostgres({ dataDir, log });
  for (const name of [KEY_FILE, ...FOLDERS]) await rm(join(dataDir, name), { recursive: true, force: true });
  await rm(toDraft(dataDir), { recursive: true, force: true, maxRetries: 5 });
};

/** Where the backup is unpacked: inside the mark, with which it is removed. */
const toDraft = (dataDir: string): string => join(toMark(dataDir), 'draft');

/** @throws when the folder has anything but the mark */
const assertNothingElse = async (dataDir: string): Promise<void> => {
  const mark = basename(toMark(dataDir));
  if ((await readdir(dataDir)).every((name) => name === mark)) return;
  throw new Error(`${dataDir} is not empty; restore into a new folder (BERTH_DATA_DIR)`);
};

/**
 * Marks the folder as being restored; returns how to release it. @throws when it is not empty, or another restore is
 * using it
 */
const lockTarget = async (options: RestoreOptions): Promise<() => void> => {
  const { dataDir, databaseUrl } = options;
  await (databaseUrl === undefined ? ensureDataDir(dataDir) : mkdir(dataDir, { recursive: true, mode: 0o700 }));
  const mark = toMark(dataDir);
  const isNew = !(await isThere(mark));
  if (isNew) await assertNothingElse(dataDir);
  await mkdir(mark, { recursive: true, mode: 0o700 });
  const unlock = await lockDataDir(join(mark, 'lock'), dataDir);
  try {
    if (!isNew) await clear(options);
    // A server that started in the folder before it was marked is detected here; one that starts later sees the mark.
    await assertNothingElse(dataDir);
    await syncFolder(dataDir);
    return unlock;
  } catch (error) {
    unlock();
    if (isNew) await rm(mark, { recursive: true, force: true });
    throw error;
  }
};

const readManifest = async (draft: string): Promise<Manifest> => {
  const text = await readFile(join(draft, MANIFEST), 'utf8').catch((cause: unknown) => {
    throw new Error('this file is not a backup of Berth', { cause });
  });
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.format !== FORMAT) throw new Error('this backup was made by a newer version of Berth; use that one');
  assertVital(manifest, 'this backup');
  return manifest;
};

const restoreDatabase = async (options: RestoreOptions, contents: Manifest): Promise<void> => {
  const { dataDir, databaseUrl, migrations, log, signal } = options;
  const readInto = (url: string): Promise<void> =>
    readTables(url, join(toDraft(dataDir), DATABASE), { contents, migrations }, signal);
  if (databaseUrl !== undefined) return readInto(databaseUrl);
  const postgres = await startEmbeddedPostgres({ dataDir, log, signal });
  try {
    await readInto(postgres.url);
  } finally {
    await postgres.stop();
  }
};

/** Moves files into place, whole or not at all. */
const move = async (name: string, { dataDir, signal }: RestoreOptions): Promise<boolean> => {
  const from = join(toDraft(dataDir), name);
  if (!(await isThere(from))) return false;
  await (name === KEY_FILE ? syncFile(from) : syncTree(from, signal));
  await rename(from, join(dataDir, name));
  await syncFolder(dataDir);
  return true;
};

const fill = async (options: RestoreOptions): Promise<Restored> => {
  const { dataDir, file, signal } = options;
  const draft = toDraft(dataDir);
  await mkdir(draft, { mode: 0o700 });
  await unpack(file, draft, signal);
  const manifest = await readManifest(draft);
  const hasKeys = await move(KEY_FILE, options);
  for (const name of FOLDERS) await move(name, options);
  await restoreDatabase(options, manifest);
  return { manifest, hasKeys };
};

/**
 * @throws with what to do when something is in the way, or when it was aborted; then the folder is as empty as before
 */
export const restoreBackup = async (options: RestoreOptions): Promise<Restored> => {
  const { dataDir, file, signal } = options;
  await access(file);
  const unlock = await lockTarget(options);
  try {
    const restored = await fill(options);
    await rm(toMark(dataDir), { recursive: true });
    await syncFolder(dataDir);
    return restored;
  } catch (error) {
    await clear(options);
    await rm(toMark(dataDir), { recursive: true, force: true });
    signal.throwIfAborted();
    throw error;
  } finally {
    unlock();
  }
};
