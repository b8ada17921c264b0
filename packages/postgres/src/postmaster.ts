import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readFileSync, statSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess, findProcess, sleep, waitForEnd, type SupervisedProcess } from '@berth/kit';
import pg from 'pg';
import type { Account } from './account.ts';
import { POSTGRES_ENV, SUPERUSER } from './cluster.ts';
import type { EmbeddedLayout } from './layout.ts';
import { ENDING_STEPS } from './orphan.ts';

/** A running PostgreSQL that answers queries. Its `end` is polite first, then by force. */
export interface Postmaster extends SupervisedProcess {
  pid: number;
}

export interface PostmasterOptions {
  layout: EmbeddedLayout;
  /** The folder with PostgreSQL's bin, lib and share. */
  binariesDir: string;
  account: Account | undefined;
  /** Server settings that override the usual ones. */
  settings: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

const DATABASE = 'berth';
const PORT = 5432;

/**
 * A small server that must not lose an accepted task: commits wait for the disk (synchronous_commit, fsync), and crash
 * recovery replays at most about max_wal_size. The log has no DETAIL and no statements, which may contain personal
 * data.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  port: String(PORT),
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '128MB',
  synchronous_commit: 'on',
  fsync: 'on',
  full_page_writes: 'on',
  max_wal_size: '1GB',
  min_wal_size: '80MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  jit: 'off',
};

/** Crash recovery of a full WAL on a slow disk takes less; anything longer is a fault. */
const READY_TIMEOUT_MS = 300_000;
const PROBE_INTERVAL_MS = 10;
/** A log larger than this is rotated at a start; one older log is kept. */
const MAX_LOG_BYTES = 10 * 1024 * 1024;
const LOG_TAIL_BYTES = 2_000;

/** Connection options for clients. */
export const toConnection = (socketDir: string, database = DATABASE): pg.ConnectionConfig => ({
  host: socketDir,
  port: PORT,
  user: SUPERUSER,
  database,
  ssl: false,
});

/** The same as a string. Port and TLS are explicit so that PGPORT and PGSSLMODE in the environment have no effect. */
export const toUrl = (socketDir: string): string =>
  `postgres://${SUPERUSER}@localhost:${PORT}/${DATABASE}?host=${encodeURIComponent(socketDir)}&sslmode=disable`;

/** Starts PostgreSQL and waits until it answers. Throws with the end of its log when it does not start. */
export const startPostmaster = async (options: PostmasterOptions): Promise<Postmaster> => {
  const { layout, signal } = options;
  signal.throwIfAborted();
  rotateLog(layout.logFile);
  const logFd = openSync(layout.logFile, 'a', 0o600);
  const logStart = fstatSync(logFd).size;
  const child = spawnPostgres(options, logFd);
  closeSync(logFd);
  await once(child, 'spawn');
  const { pid = 0 } = child;
  const identity = findProcess(pid);
  let hasEnded = false;
  const ended = waitForEnd(child).finally(() => (hasEnded = true));
  const end = async (): Promise<void> => {
    if (identity && !hasEnded) await endProcess(identity, ENDING_STEPS);
    await ended;
  };
  try {
    await waitUntilReady(layout.socketDir, () => hasEnded, signal);
  } catch (cause) {
    await end();
    signal.throwIfAborted();
    throw new Error(`PostgreSQL did not start: ${readTail(layout.logFile, logStart)}`, { cause });
  }
  return { pid, ended, end };
};

/** In a process group of its own: Ctrl+C in a terminal must not stop the database before the server has drained. */
const spawnPostgres = ({ layout, binariesDir, account, settings }: PostmasterOptions, logFd: number) => {
  const all = { ...SETTINGS, unix_socket_directories: layout.socketDir, ...settings };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return spawn(join(binariesDir, 'bin', 'postgres'), ['-D', layout.clusterDir, ...args], {
    cwd: '/',
    detached: true,
    env: POSTGRES_ENV,
    stdio: ['ignore', logFd, logFd],
    ...(account && { uid: account.uid, gid: account.gid }),
  });
};

const waitUntilReady = async (socketDir: string, hasEnded: () => boolean, signal: AbortSignal): Promise<void> => {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    if (hasEnded()) throw new Error('the process ended');
    signal.throwIfAborted();
    try {
      return await ensureDatabase(socketDir);
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await sleep(PROBE_INTERVAL_MS, signal);
  }
};

const MISSING_DATABASE = '3D000';
const DUPLICATE_DATABASE = '42P04';

const ensureDatabase = async (socketDir: string): Promise<void> => {
  const code = await tryQuery(socketDir, DATABASE, 'select 1');
  if (code !== MISSING_DATABASE) return;
  await tryQuery(socketDir, 'postgres', `create database ${DATABASE}`);
};

/** Runs one statement; returns the code of an expected refusal, throws every other error. */
const tryQuery = async (socketDir: string, database: string, sql: string): Promise<string | undefined> => {
  const client = new pg.Client(toConnection(socketDir, database));
  // A connection that breaks after its query is of no interest; without a listener it would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(sql);
    return undefined;
  } catch (error) {
    const code = error instanceof pg.DatabaseError ? error.code : undefined;
    if (code === MISSING_DATABASE || code === DUPLICATE_DATABASE) return code;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
};

const rotateLog = (path: string): void => {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat !== undefined && stat.size > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
};

const readTail = (path: string, fromByte: number): string => {
  const text = readFileSync(path).subarray(fromByte).toString('utf8').trim();
  return text === '' ? 'it wrote no log' : text.slice(-LOG_TAIL_BYTES);
};
