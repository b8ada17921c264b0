/**
 * The folders of databases in `/var/lib/berth`, outside of their data directories, for servers that run as root
 * (home-choice.ts says when). Each notes its data directory. Nothing is deleted here: a data directory that is not
 * there may be on a disk that is not mounted.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export const SYSTEM_DIR = '/var/lib/berth';

const NOTE = 'data-directory';
/** A short hash of the data directory; a number follows where that was taken. */
const NAME = /^([\da-f]{12})(-\d+)?$/;

export const toHash = (path: string): string => createHash('sha256').update(path).digest('hex').slice(0, 12);

/** Records in a home which data directory it belongs to. Idempotent. */
export const noteOwner = (home: string, dataDir: string): void => writeFileSync(join(home, NOTE), `${dataDir}\n`);

/** The data directory that a home notes. */
export const readOwner = (home: string): string | undefined => {
  try {
    return readFileSync(join(home, NOTE), 'utf8').trimEnd();
  } catch {
    return undefined;
  }
};

export const isHomeName = (name: string): boolean => NAME.test(name);

const listHomes = (): string[] =>
  readdirSync(SYSTEM_DIR)
    .filter(isHomeName)
    .map((name) => join(SYSTEM_DIR, name));

export const hasCluster = (home: string): boolean => existsSync(join(home, 'cluster'));

/** Old releases noted nothing: the name is then all that is known. */
const belongsTo = (home: string, dataDir: string): boolean => {
  const owner = readOwner(home);
  return owner === undefined ? NAME.exec(basename(home))?.[1] === toHash(dataDir) : owner === dataDir;
};

/** A home that has the database of a data directory. */
export const findHomeOf = (dataDir: string): string | undefined =>
  listHomes().find((home) => hasCluster(home) && belongsTo(home, dataDir));

/** Makes a home for a data directory, or takes the one that an interrupted start made. It has no database yet. */
export const ensureFreshHome = (dataDir: string): string => {
  const base = join(SYSTEM_DIR, toHash(dataDir));
  const isTaken = (home: string): boolean => hasCluster(home) || (readOwner(home) ?? dataDir) !== dataDir;
  let home = base;
  for (let number = 2; isTaken(home); number += 1) home = `${base}-${number}`;
  mkdirSync(home, { recursive: true, mode: 0o750 });
  noteOwner(home, dataDir);
  return home;
};
