/** The database of an instance for a command, whether or not the server is running. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@berth/kit';
import { findRunningPostgres, startEmbeddedPostgres } from '@berth/postgres';
import { DatabaseUnavailableError } from './statement.ts';

/** Error codes of the network, of name resolution, and of PostgreSQL itself (SQLSTATE), with the remedy for each. */
const advices: [RegExp, string][] = [
  [/^ECONNREFUSED$/, 'Does PostgreSQL run there, and does it listen on that address (listen_addresses)?'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'This machine finds no address for that name.'],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, 'Is the way there open (firewall, routes), and does the machine run?'],
  [/^(28P01|28000)$/, 'Check user and password in it, and pg_hba.conf of that PostgreSQL.'],
  [/^3D000$/, "Create the database there: create database berth encoding 'UTF8' template template0."],
];

const toCode = (error: unknown): string => String((error as NodeJS.ErrnoException | undefined)?.code ?? '');

/** A name may resolve to several addresses, each of which refused: the individual errors have the text. */
const findReason = (error: unknown): { code: string; message: string } => {
  const refusals = error instanceof AggregateError ? (error.errors as Error[]) : [];
  const first = refusals[0] ?? (error as Error);
  return { code: toCode(first), message: first.message };
};

/**
 * A failed connection's error, with the name of the setting and a remedy; any other error unchanged. The address comes
 * from the driver (`connect ECONNREFUSED 127.0.0.1:5432`), so that the URL's password is not disclosed.
 */
export const toConnectionError = (error: unknown): unknown => {
  // The pool has its own error for a database that is down.
  const cause = error instanceof DatabaseUnavailableError ? error.cause : error;
  const { code, message } = findReason(cause);
  const advice = advices.find(([codes]) => codes.test(code))?.[1];
  if (advice === undefined) return error;
  return new Error(`BERTH_DATABASE_URL names a PostgreSQL that was not reached: ${message}. ${advice}`, {
    cause: error,
  });
};

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
