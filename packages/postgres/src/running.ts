import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { findPostmaster } from './orphan.ts';
import { toUrl } from './postmaster.ts';

/** The line of a postmaster's PID file that names the folder of its socket. */
const SOCKET_LINE = 4;

/**
 * A connection string to the PostgreSQL that runs in this data directory, whoever started it; undefined when none does.
 * Creates nothing.
 */
export const findRunningPostgres = (dataDir: string): string | undefined => {
  let clusterDir: string;
  try {
    clusterDir = realpathSync(join(dataDir, 'postgres', 'cluster'));
  } catch {
    return undefined;
  }
  if (findPostmaster(clusterDir) === undefined) return undefined;
  const socketDir = readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n')[SOCKET_LINE];
  return socketDir ? toUrl(socketDir) : undefined;
};

/** The folder of the embedded database of a data directory; undefined where there is none. */
export const findDatabaseFolder = (dataDir: string): string | undefined => {
  try {
    return realpathSync(join(dataDir, 'postgres'));
  } catch {
    return undefined;
  }
};
