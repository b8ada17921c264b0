/**
 * The databases of servers that run as root are outside of their data directories (layout.ts), so deleting a data
 * directory leaves its database behind. Each home records its data directory, and a later start lists the homes that
 * are no longer needed. Nothing is deleted here: the data directory may be on a disk that is not mounted at the moment.
 */
import { lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NOTE = 'data-directory';
/** A start lists at most this many. */
const MAX_NAMED = 20;

/** Records in a home which data directory it belongs to. Idempotent. */
export const noteOwner = (home: string, dataDir: string): void => writeFileSync(join(home, NOTE), `${dataDir}\n`);

export interface Leftover {
  /** The folder of the database. */
  home: string;
  /** The data directory that it belonged to. */
  dataDir: string;
}

const readOwner = (home: string): string | undefined => {
  try {
    return readFileSync(join(home, NOTE), 'utf8').trimEnd();
  } catch {
    return undefined;
  }
};

/** A directory that cannot be read, or changes at this very moment, counts as needed. */
const isNeeded = (dataDir: string, home: string): boolean => {
  const link = join(dataDir, 'postgres');
  try {
    const stat = lstatSync(link, { throwIfNoEntry: false });
    return stat?.isSymbolicLink() === true && readlinkSync(link) === home;
  } catch {
    return true;
  }
};

/** The homes in `systemDir` whose data directory is gone, or has another database now; at most twenty. */
export const listLeftovers = (systemDir: string): Leftover[] =>
  readdirSync(systemDir)
    .flatMap((name): Leftover[] => {
      const home = join(systemDir, name);
      const dataDir = readOwner(home);
      return dataDir === undefined || isNeeded(dataDir, home) ? [] : [{ home, dataDir }];
    })
    .slice(0, MAX_NAMED);
