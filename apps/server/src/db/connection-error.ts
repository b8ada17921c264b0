/** Why the PostgreSQL of `BERTH_DATABASE_URL` lets nobody in, told to whoever starts a server or a command. */
import { DatabaseUnavailableError } from './statement.ts';

/** Codes of the network, of names, and of PostgreSQL itself (SQLSTATE): what to do about each. */
const advices: [RegExp, string][] = [
  [/^ECONNREFUSED$/, 'Does PostgreSQL run there, and does it listen on that address (listen_addresses)?'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'This machine finds no address for that name.'],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, 'Is the way there open (firewall, routes), and does the machine run?'],
  [/^(28P01|28000)$/, 'Check user and password in it, and pg_hba.conf of that PostgreSQL.'],
  [/^3D000$/, "Create the database there: create database berth encoding 'UTF8' template template0."],
];

const toCode = (error: unknown): string => String((error as NodeJS.ErrnoException | undefined)?.code ?? '');

/** A name may have several addresses, and each may have refused: their error has its own text in the list. */
const findReason = (error: unknown): { code: string; message: string } => {
  const refusals = error instanceof AggregateError ? (error.errors as Error[]) : [];
  const first = refusals[0] ?? (error as Error);
  return { code: toCode(first), message: first.message };
};

/**
 * The error of a connection that was not made, with the name of the setting and the way out; any other error as it is. The
 * address is the driver's word (`connect ECONNREFUSED 127.0.0.1:5432`), so that no password of the URL is told.
 */
export const toConnectionError = (error: unknown): unknown => {
  // The pool has its own name for a database that is away.
  const cause = error instanceof DatabaseUnavailableError ? error.cause : error;
  const { code, message } = findReason(cause);
  const advice = advices.find(([codes]) => codes.test(code))?.[1];
  if (advice === undefined) return error;
  return new Error(`BERTH_DATABASE_URL names a PostgreSQL that was not reached: ${message}. ${advice}`, {
    cause: error,
  });
};
