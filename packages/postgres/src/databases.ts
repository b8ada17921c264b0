/**
 * What databases there are on this machine, for a person who looks for one or wonders what takes the space. Nothing is
 * changed here.
 */
import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SYSTEM_DIR, hasCluster, readOwner } from './homes.ts';
import { findPostmaster } from './orphan.ts';

/**
 * - running: PostgreSQL runs on it.
 * - stopped: its data directory leads to it.
 * - left: its data directory is gone, or has another database now. Its disk may just not be mounted.
 */
export type DatabaseState = 'running' | 'stopped' | 'left';

export interface DatabaseFolder {
  folder: string;
  /** Undefined where the folder does not say it: old releases noted nothing. */
  dataDir: string | undefined;
  state: DatabaseState;
  sizeBytes: number;
  /** When PostgreSQL last wrote a checkpoint, at the latest when it stopped. */
  usedAt: Date;
}

/** The database of a data directory, and all that are in `systemDir`, which only root may read. */
export const listDatabases = (dataDir: string, systemDir = SYSTEM_DIR): DatabaseFolder[] => {
  const own = findPath(join(dataDir, 'postgres'));
  const homes = listFolders(systemDir);
  const inside = own === undefined || homes.includes(own) ? [] : [own];
  const toOwner = (folder: string): string | undefined =>
    readOwner(folder) ?? (folder === own ? findPath(dataDir) : undefined);
  return [...inside, ...homes].filter(hasCluster).map((folder) => describe(folder, toOwner(folder)));
};

const listFolders = (parent: string): string[] =>
  existsSync(parent)
    ? readdirSync(parent, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => join(parent, name))
    : [];

const describe = (folder: string, dataDir: string | undefined): DatabaseFolder => {
  const cluster = join(folder, 'cluster');
  const isLinked = dataDir === undefined || findPath(join(dataDir, 'postgres')) === folder;
  const stopped = isLinked ? 'stopped' : 'left';
  return {
    folder,
    dataDir,
    state: findPostmaster(cluster) === undefined ? stopped : 'running',
    sizeBytes: toSize(folder),
    usedAt: (statSync(join(cluster, 'global/pg_control'), { throwIfNoEntry: false }) ?? statSync(cluster)).mtime,
  };
};

const findPath = (path: string): string | undefined => {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
};

/** PostgreSQL may remove files meanwhile: they count nothing. */
const toSize = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + (findSize(join(parentPath, name)) ?? 0), 0);

const findSize = (path: string): number | undefined => lstatSync(path, { throwIfNoEntry: false })?.size;
