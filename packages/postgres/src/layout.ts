import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Logger } from '@berth/kit';
import type { Account } from './account.ts';
import { listLeftovers, noteOwner } from './leftovers.ts';

/**
 * Where the embedded PostgreSQL lives.
 *
 * An ordinary user has everything in `<dataDir>/postgres`. As root, PostgreSQL runs under another account, which often
 * cannot reach the data directory (a checkout under /root, mode 0700); then the home is `/var/lib/berth/<hash of the
 * data directory>`, and `<dataDir>/postgres` is a link to it. The link decides: a data directory that was moved keeps
 * its database, and a new one never takes over the database of an older one.
 */
export interface EmbeddedLayout {
  /** Contains everything else; removing it (and `<dataDir>/postgres`) removes the database. */
  home: string;
  /** PostgreSQL's own data directory. */
  clusterDir: string;
  /** Mode 0700: a user who can enter it needs no password. */
  socketDir: string;
  lockDir: string;
  logFile: string;
  /** Where PostgreSQL's programs are copied to when they cannot run where they are installed. */
  binariesDir: string;
}

export const SYSTEM_DIR = '/var/lib/berth';

/** The shortest limit of a socket path's bytes among the platforms (macOS 104, Linux 108, both with the final NUL). */
const MAX_SOCKET_PATH_BYTES = 103;
const SOCKET_FILE = '/.s.PGSQL.5432';

export interface LayoutOptions {
  dataDir: string;
  /** The account of PostgreSQL when the server runs as root. */
  account: Account | undefined;
  log: Logger;
}

/** Creates the folders, each with its owner and mode. Idempotent. */
export const ensureLayout = ({ dataDir, account, log }: LayoutOptions): EmbeddedLayout => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const realDataDir = realpathSync(dataDir);
  const home = account ? ensureSystemHome(realDataDir, account, log) : ensureUserHome(realDataDir);
  const socketDir = ensureSocketDir(home, account);
  return {
    home,
    clusterDir: join(home, 'cluster'),
    socketDir,
    lockDir: join(home, 'lock'),
    logFile: join(home, 'postgres.log'),
    binariesDir: account ? SYSTEM_DIR : home,
  };
};

const ensureUserHome = (dataDir: string): string => {
  const home = join(dataDir, 'postgres');
  if (lstatSync(home, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Error(
      `The database of ${dataDir} was made by a server that ran as root (it is in ${readlinkSync(home)}). ` +
        'Run this one as root too, or give it another folder with BERTH_DATA_DIR.',
    );
  }
  mkdirSync(home, { recursive: true, mode: 0o700 });
  return home;
};

const ensureSystemHome = (dataDir: string, account: Account, log: Logger): string => {
  // Searchable by everyone, whatever the umask: the account must be able to reach the programs and its own folders.
  mkdirSync(SYSTEM_DIR, { recursive: true });
  chmodSync(SYSTEM_DIR, 0o755);
  const link = join(dataDir, 'postgres');
  const home = findSystemHome(link) ?? createSystemHome(dataDir, link, log);
  mkdirSync(home, { recursive: true });
  chownSync(home, 0, account.gid);
  chmodSync(home, 0o750);
  noteOwner(home, dataDir);
  const leftovers = listLeftovers(SYSTEM_DIR);
  if (leftovers.length > 0) {
    const command = `rm -r ${leftovers.map((leftover) => leftover.home).join(' ')}`;
    log.warn({ leftovers }, `databases are left of data directories that are gone; this removes them: ${command}`);
  }
  return home;
};

const findSystemHome = (link: string): string | undefined => {
  const stat = lstatSync(link, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (!stat.isSymbolicLink()) {
    throw new Error(
      `${link} holds a database made by an ordinary user (id ${stat.uid}), and this server runs as root. ` +
        'Run it as that user, or give it another folder with BERTH_DATA_DIR.',
    );
  }
  const home = readlinkSync(link);
  // Root follows this link, so it may only point to a folder of ours.
  if (dirname(home) !== SYSTEM_DIR || !/^[\da-f]{12}(-\d+)?$/.test(home.slice(SYSTEM_DIR.length + 1))) {
    throw new Error(`${link} leads to ${home}, which is no database folder of Berth. Remove the link.`);
  }
  return home;
};

const createSystemHome = (dataDir: string, link: string, log: Logger): string => {
  const base = join(SYSTEM_DIR, toHash(dataDir));
  let home = base;
  for (let number = 2; existsSync(home); number += 1) home = `${base}-${number}`;
  if (home !== base) log.warn({ folder: base }, 'an earlier database of this data directory is left untouched');
  try {
    symlinkSync(home, link);
    return home;
  } catch (error) {
    // Another server that starts in the same data directory was faster; the lock decides between the two.
    const other = findSystemHome(link);
    if (other === undefined) throw error;
    return other;
  }
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

const toHash = (path: string): string => createHash('sha256').update(path).digest('hex').slice(0, 12);

/** Deletes a database permanently: for tests and temporary instances. The server must not be running. */
export const removeLayout = ({ home, socketDir }: EmbeddedLayout): void => {
  // A PostgreSQL program whose starter was killed may still write there for a moment.
  for (const path of [socketDir, home]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
};
