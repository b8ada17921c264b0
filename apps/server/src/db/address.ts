/**
 * Where PostgreSQL is. A URL may name several servers, a primary and its standbys
 * (`postgres://user@a:5432,b:5432/berth`, as in libpq): the one that takes writes is used, and when it is lost the
 * others are asked. With a single server nothing is ever asked.
 */
import type { Logger } from '@berth/kit';
import pg from 'pg';
import { DatabaseUnavailableError, toDatabaseError } from './statement.ts';

const PROBE_TIMEOUT_MS = 2_000;

/** One URL for each of the servers that it names. */
export const splitHosts = (url: string): string[] => {
  const match = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/.exec(url);
  if (!match) return [url];
  const [, start = '', hosts = '', rest = ''] = match;
  return hosts.split(',').map((host) => start + host + rest);
};

const isPrimary = async (connectionString: string): Promise<boolean> => {
  const client = new pg.Client({
    connectionString,
    application_name: 'berth probe',
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ is_standby: boolean }>('select pg_is_in_recovery() as is_standby');
    return rows[0]?.is_standby === false;
  } finally {
    await client.end();
  }
};

/** Of the servers that the URL names, the one that takes writes; undefined when none does at the moment. */
const findPrimary = (urls: readonly string[]): Promise<string | undefined> => {
  const probes = urls.map(async (url) => {
    if (!(await isPrimary(url))) throw new Error('is a standby');
    return url;
  });
  return Promise.any(probes).catch(() => undefined);
};

/** The URL to use once: the primary's where several servers are named. */
export const toPrimaryUrl = async (url: string): Promise<string> => {
  const urls = splitHosts(url);
  return (urls.length > 1 && (await findPrimary(urls))) || (urls[0] ?? url);
};

export class PostgresAddress {
  readonly #urls: readonly string[];
  readonly #log: Logger;
  readonly #listeners: (() => void)[] = [];
  #url: string;
  #search: Promise<void> | undefined;

  constructor(url: string, log: Logger) {
    this.#urls = splitHosts(url);
    this.#url = this.#urls[0] ?? url;
    this.#log = log;
  }

  /** The server to connect to now. */
  get url(): string {
    return this.#url;
  }

  /** Is called when connections that exist are of no use any more. */
  onLost(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** The server does not answer, though its connections look alive. */
  lose(): void {
    for (const listener of this.#listeners) listener();
    void this.search();
  }

  /** The error as `toDatabaseError` has it; when it says that PostgreSQL is away, those that it may have moved to are asked. */
  sense(error: unknown): unknown {
    const sensed = toDatabaseError(error);
    if (sensed instanceof DatabaseUnavailableError) void this.search();
    return sensed;
  }

  /** Looks for the server that takes writes; resolves when it was found, or when there is none at the moment. Never rejects. */
  search(): Promise<void> {
    if (this.#urls.length === 1) return Promise.resolve();
    this.#search ??= this.#find().finally(() => (this.#search = undefined));
    return this.#search;
  }

  async #find(): Promise<void> {
    const found = await findPrimary(this.#urls);
    if (found === undefined || found === this.#url) return;
    this.#url = found;
    const { hostname, port } = new URL(found);
    this.#log.warn({ primary: `${hostname}:${port}` }, 'another PostgreSQL server takes the writes now');
    for (const listener of this.#listeners) listener();
  }
}
