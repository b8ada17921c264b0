/**
 * Where PostgreSQL is. A URL may name several servers, a primary and its standbys
 * (`postgres://user@a:5432,b:5432/berth`, as in libpq): the one that accepts writes is used, and when it is lost the
 * others are probed. With a single server nothing is ever probed.
 */
import type { Logger } from '@berth/kit';
import pg from 'pg';
import { DatabaseUnavailableError, toDatabaseError } from './statement.ts';

const PROBE_TIMEOUT_MS = 2_000;

/** One URL for each server that it names. */
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

/** The server of the URL that accepts writes; undefined when none does at the moment. */
const findPrimary = (urls: readonly string[]): Promise<string | undefined> => {
  const probes = urls.map(async (url) => {
    if (!(await isPrimary(url))) throw new Error('is a standby');
    return url;
  });
  return Promise.any(probes).catch(() => undefined);
};

/** The URL for a single connection: the primary's where several servers are named. */
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

  /** Called when existing connections are no longer of use. */
  onLost(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Call it when the server does not answer, though its connections look alive. */
  lose(): void {
    for (const listener of this.#listeners) listener();
    void this.search();
  }

  /**
   * The error as `toDatabaseError` returns it; when it means that PostgreSQL is down, the servers that may have taken
   * over are probed.
   */
  sense(error: unknown): unknown {
    const sensed = toDatabaseError(error);
    if (sensed instanceof DatabaseUnavailableError) void this.search();
    return sensed;
  }

  /**
   * Searches for the server that accepts writes; resolves when it was found, or when there is none at the moment. Never
   * rejects.
   */
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
