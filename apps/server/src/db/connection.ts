import { Socket } from 'node:net';
import pg from 'pg';

const { TIMESTAMPTZ, INT8, NUMERIC } = pg.types.builtins;

/** PostgreSQL's text of a timestamptz (time zone UTC) → `2026-01-31T08:15:30.123456Z`. */
const toTimestamp = (text: string): string => {
  const zone = text.indexOf('+', 19);
  const body = zone === -1 ? text : text.slice(0, zone);
  const fraction = body.length > 20 ? body.slice(20).padEnd(6, '0') : '000000';
  return `${body.slice(0, 10)}T${body.slice(11, 19)}.${fraction}Z`;
};

const parsers = new Map<number, (text: string) => unknown>([
  [TIMESTAMPTZ, toTimestamp],
  [INT8, Number],
  [NUMERIC, Number],
]);

type Parser = (text: string) => unknown;

/** How columns become values: timestamps in the API's format, numbers as numbers. */
const rowTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    const own = format === 'binary' ? undefined : parsers.get(oid);
    return own ?? (pg.types.getTypeParser(oid, format ?? 'text') as Parser);
  },
};

/** Shared by all connections. */
export const CONFIG: pg.ClientConfig = {
  application_name: 'berth',
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  types: rowTypes,
};

/**
 * The sockets of a few connections. A server that has stopped responding never answers a graceful close, and pg waits
 * for the pending statements of a pipelined connection; destroying the socket makes them fail.
 */
export class Sockets {
  readonly #open = new Set<Socket>();

  /** For pg's option `stream`. */
  readonly create = (): Socket => {
    const socket = new Socket();
    this.#open.add(socket);
    return socket.once('close', () => this.#open.delete(socket));
  };

  /** Destroys all that were created so far. */
  destroy(): void {
    for (const socket of this.#open) socket.destroy();
  }
}

/** For connections whose statements may wait for somebody else's lock: nobody waits for ever. */
export const STATEMENT_TIMEOUT = '-c statement_timeout=30000';

/**
 * Settings of connections for statements that an index answers. They plan without sequential scans, bitmaps and sorts
 * where an index offers the order, because a plan made while a table was empty or its statistics outdated would
 * otherwise scan the whole table; and they keep their plans. What is switched off counts as very dear, so that PostgreSQL
 * would compile each such plan for a tenth of a second.
 */
export const INDEXED = '-c timezone=UTC -c jit=off -c enable_seqscan=off -c enable_bitmapscan=off -c enable_sort=off';
