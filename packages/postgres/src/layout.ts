import { chmodSync, chownSync, lstatSync, mkdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@berth/kit';
import type { Account } from './account.ts';
import { chooseRootHome, findRootHome, type HomeChoice } from './home-choice.ts';
import { noteOwner, SYSTEM_DIR, toHash } from './homes.ts';

/** Where the embedded PostgreSQL lives: `<dataDir>/postgres`, or what that links to (home-choice.ts). */
export interface EmbeddedLayout extends HomeChoice {
  /** `<dataDir>/postgres`: the home, or a link to it. */
  place: string;
  /** PostgreSQL's own data directory. */
  clusterDir: string;
  /** Mode 0700: a user who can enter it needs no password. */
  socketDir: string;
  lockDir: string;
  logFile: string;
  /** Where PostgreSQL's programs are copied to when they cannot run where they are installed. */
  binariesDir: string;
}

/** The shortest limit of a socket path's bytes among the platforms (macOS 104, Linux 108, both with the final NUL). */
const MAX_SOCKET_PATH_BYTES = 103;
const SOCKET_FILE = '/.s.PGSQL.5432';

export interface LayoutOptions {
  dataDir: string;
  /** The account of PostgreSQL when the server runs as root. */
  account: Account | undefined;
  log: Logger;
}

/** Creates the folders, each with its owner and mode. Idempotent. @throws where a database is lost or unreachable */
export const ensureLayout = ({ dataDir, account, log }: LayoutOptions): EmbeddedLayout => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const realDataDir = realpathSync(dataDir);
  if (!account) return ensureFolders(realDataDir, { home: ensureUserHome(realDataDir), reason: undefined }, account);
  const choice = chooseRootHome(realDataDir, account);
  const { home, reason, earlier } = choice;
  if (earlier !== undefined)
    log.warn({ earlier, home }, 'the data directory was empty: this is a new database, and its earlier one is kept');
  log.info(
    { home },
    reason === undefined ? 'the database is in the data directory' : `the database is there: ${reason}`,
  );
  return ensureFolders(realDataDir, choice, account);
};

/** The layout of a database that is about to be deleted; undefined where there is none. */
export const findLayout = ({ dataDir, account }: Omit<LayoutOptions, 'log'>): EmbeddedLayout | undefined => {
  const place = join(dataDir, 'postgres');
  if (lstatSync(place, { throwIfNoEntry: false }) === undefined) return undefined;
  const realDataDir = realpathSync(dataDir);
  const home = account ? findRootHome(join(realDataDir, 'postgres')) : ensureUserHome(realDataDir);
  return home === undefined ? undefined : ensureFolders(realDataDir, { home, reason: undefined }, account);
};

const ensureFolders = (dataDir: string, choice: HomeChoice, account: Account | undefined): EmbeddedLayout => {
  const { home } = choice;
  const place = join(dataDir, 'postgres');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  if (account) {
    chownSync(home, 0, account.gid);
    chmodSync(home, 0o750);
    if (home !== place) noteOwner(home, dataDir);
  }
  return {
    ...choice,
    place,
    clusterDir: join(home, 'cluster'),
    socketDir: ensureSocketDir(home, account),
    lockDir: join(home, 'lock'),
    logFile: join(home, 'postgres.log'),
    binariesDir: account ? SYSTEM_DIR : home,
  };
};

const ensureUserHome = (dataDir: string): string => {
  const home = join(dataDir, 'postgres');
  const stat = lstatSync(home, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink() || (stat !== undefined && stat.uid !== process.getuid?.())) {
    const where = stat.isSymbolicLink() ? readlinkSync(home) : home;
    throw new Error(
      `The database of ${dataDir} was made by a server that ran as another user (it is in ${where}). ` +
        'Run this one as that user too, or give it another folder with BERTH_DATA_DIR.',
    );
  }
  return home;
};

const ensureSocketDir = (home: string, account: Account | undefined): string => {
  const socketDir = [join(home, 'socket'), ...toShortDirs(home)].find(
    (path) => Buffer.byteLength(path + SOCKET_FILE) <= MAX_SOCKET_PATH_BYTES,
  );
  if (socketDir === undefined) throw new Error('no folder has a path short enough for a Unix socket');
  const owner = account ? account.uid : process.getuid?.();
  mkdirSync(socketDir, { recursive: true, mode: 0o700 });
  if (account) chownSync(socketDir, account.uid, account.gid);
  // In a shared temporary folder somebody else may have created something with this name first.
  const stat = lstatSync(socketDir);
  if (!stat.isDirectory() || stat.uid !== owner) throw new Error(`${socketDir} does not belong to this user`);
  chmodSync(socketDir, 0o700);
  return socketDir;
};

const toShortDirs = (home: string): string[] => {
  const name = `berth-${toHash(home)}`;
  return [join(tmpdir(), name), join('/tmp', name)];
};

/**
 * Deletes a database permanently: for tests and temporary instances. The server must not be running. The place goes
 * last, so that an interrupted removal can be repeated.
 */
export const removeLayout = ({ home, socketDir, place }: EmbeddedLayout): void => {
  // A PostgreSQL program whose starter was killed may still write there for a moment.
  for (const path of [socketDir, home, place]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
};
