import { execFile } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './account.ts';

export interface ClusterOptions {
  clusterDir: string;
  /** The folder with PostgreSQL's bin, lib and share. */
  binariesDir: string;
  account: Account | undefined;
  /** The version of the programs, for example 18.4.0. */
  version: string;
  /** False only for throw-away clusters of tests. */
  durable: boolean;
  signal: AbortSignal;
}

export const SUPERUSER = 'berth';

/** The environment of every PostgreSQL program: nothing from the server's own, which may contain secrets. */
export const POSTGRES_ENV = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Creates the cluster at the first start. It is created in a draft folder and renamed when complete, so an interrupted
 * creation never leaves half a cluster. Each draft has a unique name: the initdb of a killed server may still be
 * writing to, and then cleaning up, the draft that it was given.
 */
export const ensureCluster = async (options: ClusterOptions): Promise<void> => {
  const { clusterDir, account, version } = options;
  if (existsSync(clusterDir)) return assertVersion(clusterDir, version);
  removeDrafts(clusterDir);
  const draft = mkdtempSync(`${clusterDir}${DRAFT_SUFFIX}`);
  if (account) chownSync(draft, account.uid, account.gid);
  await initialise(draft, options);
  renameSync(draft, clusterDir);
  const parent = openSync(dirname(clusterDir), 'r');
  fsyncSync(parent);
  closeSync(parent);
};

const DRAFT_SUFFIX = '.new-';

const removeDrafts = (clusterDir: string): void => {
  const drafts = readdirSync(dirname(clusterDir)).filter((name) =>
    name.startsWith(basename(clusterDir) + DRAFT_SUFFIX),
  );
  // An initdb that still writes to one may outlast the retries; the next creation then removes the rest.
  for (const name of drafts) rmSync(join(dirname(clusterDir), name), { recursive: true, force: true, maxRetries: 5 });
};

/**
 * UTF-8 text compared by code point, with PostgreSQL's own tables for letter case ("builtin" provider, C.UTF-8):
 * an index never depends on the machine's C library, whose sort order changes between versions and silently breaks
 * indexes, and yet lower() and ilike know every alphabet. LC_CTYPE is what pg_trgm asks whether a character is a
 * letter; macOS has no C.UTF-8 there.
 * "trust" lets in every user who reaches the socket, and the socket's folder (0700) lets only the owner and root reach it.
 */
const initialise = async (directory: string, options: ClusterOptions): Promise<void> => {
  const { binariesDir, account, durable, signal } = options;
  const args = ['--pgdata', directory, '--username', SUPERUSER, '--auth-local=trust', '--auth-host=reject'];
  args.push('--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8');
  args.push(`--lc-ctype=${process.platform === 'linux' ? 'C.UTF-8' : 'C'}`, '--no-instructions');
  if (!durable) args.push('--no-sync');
  const running = promisify(execFile)(join(binariesDir, 'bin', 'initdb'), args, {
    cwd: '/',
    env: POSTGRES_ENV,
    signal,
    ...(account && { uid: account.uid, gid: account.gid }),
  });
  const closed = new Promise((resolve) => running.child.once('close', resolve));
  try {
    await running;
  } catch (cause) {
    // An aborted call rejects before its process has ended.
    await closed;
    signal.throwIfAborted();
    const { stderr, message, code } = cause as Error & { stderr?: string; code?: unknown };
    // A program that exists and yet is "not found" lacks its loader: these are built for glibc, which Alpine does not
    // have.
    const hint = code === 'ENOENT' ? ' (this system cannot run these programs: set BERTH_DATABASE_URL)' : '';
    throw new Error(`Creating the database in ${directory} failed: ${(stderr || message).trim()}${hint}`, { cause });
  }
};

const assertVersion = (clusterDir: string, version: string): void => {
  const made = readFileSync(join(clusterDir, 'PG_VERSION'), 'utf8').trim();
  const major = version.split('.')[0];
  if (made === major) return;
  throw new Error(
    `The database in ${clusterDir} was made by PostgreSQL ${made}, and this version of Berth brings PostgreSQL ${major}. ` +
      `Back it up (script/backup) with the version of Berth that made it, and restore it with this one.`,
  );
};
