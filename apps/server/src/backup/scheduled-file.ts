/**
 * The file of a scheduled backup. It is made in a folder of its own, read back, and only then gets its name: what has
 * the name of a backup is whole. Earlier ones are deleted when it has.
 */
import { link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { listEntries, syncFolder } from './archive.ts';
import { DATABASE, KEY_FILE, MANIFEST, writeBackup, type BackupOptions } from './backup.ts';

const DRAFT = '.unfinished-';
const NAME = /^berth-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.tar\.gz$/;

export interface ScheduledFileOptions extends Omit<BackupOptions, 'file'> {
  folder: string;
  /** Tells this attempt from those before it. */
  id: string;
  /** Whether the key is in the data directory, and so in the file. */
  hasKeys: boolean;
}

export interface ScheduledFile {
  name: string;
  sizeBytes: number;
}

/** Reads all of it, and looks for what every backup has. @throws when anything is broken or missing */
const verify = async (file: string, { hasKeys, signal }: ScheduledFileOptions, tables: readonly string[]) => {
  const keys = hasKeys ? [KEY_FILE] : [];
  const found = new Set(await listEntries(file, [MANIFEST, DATABASE, ...keys], signal));
  const missing = tables.find((table) => !found.has(`${DATABASE}/${table}.copy`));
  if (missing !== undefined) throw new Error(`the backup was written, but lacks the table ${missing}`);
};

/** What attempts that were killed have left. */
const clearDrafts = async (folder: string): Promise<void> => {
  const names = await readdir(folder);
  const drafts = names.filter((name) => name.startsWith(DRAFT));
  await Promise.all(drafts.map((name) => rm(join(folder, name), { recursive: true, force: true })));
};

/** Call it only while no other attempt is under way. @throws when there is no whole backup; nothing of it is left then */
export const writeScheduledFile = async (options: ScheduledFileOptions): Promise<ScheduledFile> => {
  const { folder, id, signal } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await clearDrafts(folder);
  const draft = join(folder, `${DRAFT}${id}`);
  await mkdir(draft, { mode: 0o700 });
  try {
    const file = join(draft, 'backup.tar.gz');
    const { made_at: madeAt, tables } = await writeBackup({ ...options, file });
    await verify(file, options, tables);
    const name = `berth-${madeAt.slice(0, 19).replaceAll(':', '-')}Z.tar.gz`;
    const { size: sizeBytes } = await stat(file);
    signal.throwIfAborted();
    await link(file, join(folder, name));
    await syncFolder(folder);
    return { name, sizeBytes };
  } catch (error) {
    if (!/ENOSPC|EDQUOT|No space left|Wrote only|quota exceeded/i.test((error as Error).message)) throw error;
    throw new Error(`there is no room for a backup in ${folder}; earlier ones were kept`, { cause: error });
  } finally {
    await rm(draft, { recursive: true, force: true, maxRetries: 5 });
  }
};

/** The names say when each was made: the oldest is the first. */
const listNames = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => NAME.test(name)).sort();

/** The scheduled backups that are there, newest first. */
export const listScheduledFiles = async (folder: string): Promise<ScheduledFile[]> => {
  const names = await listNames(folder);
  const files = names.map(async (name) => ({ name, sizeBytes: (await stat(join(folder, name))).size }));
  return (await Promise.all(files)).toReversed();
};

/** Deletes the oldest scheduled backups, all but so many. Other files stay. */
export const deleteOldFiles = async (folder: string, keep: number): Promise<void> => {
  const names = await listNames(folder);
  for (const name of names.slice(0, -keep)) await rm(join(folder, name), { force: true });
};
