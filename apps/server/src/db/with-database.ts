/** The database of an instance for a command, whether or not the server is running. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@berth/kit';
import { findRunningPostgres, startEmbeddedPostgres } from '@berth/postgres';
import { toConnectionError } from './connection-error.ts';

export interface WithDatabaseOptions {
  dataDir: string;
  /** Unset: the embedded one of the data directory. */
  databaseUrl: string | undefined;
  log: Logger;
  signal: AbortSignal;
}

/** Calls back with the database's URL. An embedded one that is not running is started for the duration. */
export const withDatabase = async <Result>(
  { dataDir, databaseUrl, log, signal }: WithDatabaseOptions,
  callback: (url: string) => Promise<Result>,
): Promise<Result> => {
  if (databaseUrl !== undefined) {
    return callback(databaseUrl).catch((error: unknown) => {
      throw toConnectionError(error);
    });
  }
  const running = findRunningPostgres(dataDir);
  if (running !== undefined) return callback(running);
  await access(join(dataDir, 'postgres')).catch((cause: unknown) => {
    throw new Error(`there is no database in ${dataDir}; set BERTH_DATA_DIR or BERTH_DATABASE_URL`, { cause });
  });
  const postgres = await startEmbeddedPostgres({ dataDir, log, signal });
  try {
    return await callback(postgres.url);
  } finally {
    await postgres.stop();
  }
};
