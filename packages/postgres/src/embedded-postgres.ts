import { Supervisor, type Logger, type ProcessEnd } from '@berth/kit';
import type pg from 'pg';
import { ensureAccount } from './account.ts';
import { ensureBinaries, getPostgresPackage } from './binaries.ts';
import { ensureCluster } from './cluster.ts';
import { ensureLayout, findLayout, removeLayout } from './layout.ts';
import { lockDataDir } from './lock.ts';
import { clearPredecessor } from './orphan.ts';
import { startPostmaster, toConnection, toUrl, type Postmaster, type PostmasterOptions } from './postmaster.ts';

export interface EmbeddedPostgresOptions {
  /** The server's data directory; created when missing. */
  dataDir: string;
  log: Logger;
  /** Aborts a start in progress; what was started is stopped again. */
  signal?: AbortSignal;
  /** False only for throw-away databases of tests: gives up safety against a power cut for speed. */
  durable?: boolean;
}

export interface EmbeddedPostgres {
  /** A connection string (over a Unix socket, user and database `berth`, superuser). */
  url: string;
  /** The same as options for `pg`. */
  connection: pg.ConnectionConfig;
  /** The folder of the database. */
  home: string;
  /** Why that folder is not in the data directory; undefined where it is. */
  reason: string | undefined;
  /** PostgreSQL's process id; undefined while it is being restarted. */
  readonly pid: number | undefined;
  /** Called each time PostgreSQL ends by itself; it is restarted without the caller's help. */
  onExit(listener: (end: ProcessEnd) => void): void;
  /** Stops PostgreSQL and releases the data directory. Close the pools first: this cuts every connection. */
  stop(): Promise<void>;
  /** Deletes the database; only after `stop`. */
  remove(): void;
}

/** Enough to survive a killed process, which tests do; not a power cut. The servers of several test files share it. */
const FAST_SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '300' };

/** The first retry comes almost immediately: backends of a killed postmaster need a moment to notice and exit. */
const BACKOFF = { baseMs: 50, maxMs: 5_000 };

/**
 * Starts the PostgreSQL that comes with Berth, in the server's data directory (docs/decisions has the reasons). Throws
 * when a living server uses the data directory, and when this machine cannot run it, each with a remedy.
 */
export const startEmbeddedPostgres = async ({
  dataDir,
  log,
  signal = new AbortController().signal,
  durable = true,
}: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> => {
  const found = getPostgresPackage();
  const account = process.getuid?.() === 0 ? await ensureAccount() : undefined;
  const layout = ensureLayout({ dataDir, account, log });
  const unlock = await lockDataDir(layout.lockDir, dataDir);
  try {
    // Before anything is copied or created: an orphan may still use what is there.
    await clearPredecessor(layout, log);
    const binariesDir = ensureBinaries(found, layout.binariesDir, account !== undefined);
    const { version } = found;
    await ensureCluster({ clusterDir: layout.clusterDir, binariesDir, account, version, durable, signal });
    const settings = durable ? {} : FAST_SETTINGS;
    const listeners: ((end: ProcessEnd) => void)[] = [];
    const onEnd = (end: ProcessEnd): void => listeners.forEach((listener) => listener(end));
    const supervisor = await keepRunning({ layout, binariesDir, account, settings, signal }, onEnd, log);
    return {
      url: toUrl(layout.socketDir),
      connection: toConnection(layout.socketDir),
      home: layout.home,
      reason: layout.reason,
      get pid() {
        return supervisor.pid;
      },
      onExit: (listener) => void listeners.push(listener),
      stop: async () => {
        await supervisor.stop();
        unlock();
      },
      remove: () => removeLayout(layout),
    };
  } catch (error) {
    unlock();
    throw error;
  }
};

/**
 * Deletes the database of a data directory that is no longer needed, and stops what a killed process left running in
 * it. Throws when a living process uses it.
 */
export const discardEmbeddedPostgres = async ({
  dataDir,
  log,
}: Pick<EmbeddedPostgresOptions, 'dataDir' | 'log'>): Promise<void> => {
  const account = process.getuid?.() === 0 ? await ensureAccount() : undefined;
  const layout = findLayout({ dataDir, account });
  if (layout === undefined) return;
  const unlock = await lockDataDir(layout.lockDir, dataDir);
  try {
    await clearPredecessor(layout, log);
    removeLayout(layout);
  } finally {
    unlock();
  }
};

/** Starts PostgreSQL, which must succeed, and restarts it whenever it ends: committed data is then there again. */
const keepRunning = async (
  options: PostmasterOptions,
  onEnd: (end: ProcessEnd) => void,
  log: Logger,
): Promise<Supervisor> => {
  const launch = async (signal: AbortSignal): Promise<Postmaster> => {
    await clearPredecessor(options.layout, log);
    return startPostmaster({ ...options, signal });
  };
  const supervisor = new Supervisor({
    launch,
    backoff: BACKOFF,
    onEnd: (end) => {
      log.error(end, 'PostgreSQL ended by itself and is started again');
      onEnd(end);
    },
    onLaunchFailed: (error) => log.error({ err: error }, 'PostgreSQL could not be started; trying again'),
  });
  supervisor.start(await launch(options.signal));
  return supervisor;
};
