import { execFile } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './embedded-account.ts';

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

/** The environment of every PostgreSQL program: nothing of the server's own, which may hold secrets. */
export const POSTGRES_ENV = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Creates the cluster at the first start. It is made beside its place and renamed when whole, so an interrupted
 * creation leaves a draft that the next start throws away, never half a cluster.
 */
export const ensureCluster = async (options: ClusterOptions): Promise<void> => {
  const { clusterDir, account, version } = options;
  if (existsSync(clusterDir)) return assertVersion(clusterDir, version);
  const draft = `${clusterDir}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  if (account) chownSync(draft, account.uid, account.gid);
  await initialise(draft, options);
  renameSync(draft, clusterDir);
  const parent = openSync(dirname(clusterDir), 'r');
  fsyncSync(parent);
  closeSync(parent);
};

/**
 * UTF-8 text compared by code point, with PostgreSQL's own tables for letter case ("builtin" provider, C.UTF-8):
 * an index never depends on the machine's C library, whose sort order changes between versions and silently breaks
 * indexes, and yet lower() and ilike know every alphabet. LC_CTYPE is what pg_trgm asks whether a character is a
 * letter; macOS has no C.UTF-8 there.
 * "trust" lets in whoever reaches the socket, and the socket's folder (0700) lets nobody reach it but the owner and root.
 */
const initialise = async (directory: string, options: ClusterOptions): Promise<void> => {
  const { binariesDir, account, durable, signal } = options;
  const args = ['--pgdata', directory, '--username', SUPERUSER, '--auth-local=trust', '--auth-host=reject'];
  args.push('--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8');
  args.push(`--lc-ctype=${process.platform === 'linux' ? 'C.UTF-8' : 'C'}`, '--no-instructions');
  if (!durable) args.push('--no-sync');
  try {
    await promisify(execFile)(join(binariesDir, 'bin', 'initdb'), args, {
      cwd: '/',
      env: POSTGRES_ENV,
      signal,
      ...(account && { uid: account.uid, gid: account.gid }),
    });
  } catch (cause) {
    const { stderr, message } = cause as Error & { stderr?: string };
    throw new Error(`Creating the database in ${directory} failed: ${(stderr ?? message).trim()}`, { cause });
  }
};

const assertVersion = (clusterDir: string, version: string): void => {
  const made = readFileSync(join(clusterDir, 'PG_VERSION'), 'utf8').trim();
  const major = version.split('.')[0];
  if (made === major) return;
  throw new Error(
    `The database in ${clusterDir} was made by PostgreSQL ${made}, and this version of Berth brings PostgreSQL ${major}. ` +
      `Dump it with the version of Berth that made it, and load it into a new data directory.`,
  );
};
