import { Socket } from 'node:net';
import type pg from 'pg';
import { rowTypes } from './row-types.ts';

/** What all connections have. */
export const CONFIG: pg.ClientConfig = {
  application_name: 'berth',
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  types: rowTypes,
};

/**
 * The sockets of a few connections. A server that has fallen silent never answers a goodbye, and pg waits for what is under
 * way on a pipelined connection; breaking the socket is what makes its statements fail.
 */
export class Sockets {
  readonly #open = new Set<Socket>();

  /** For pg's option `stream`. */
  readonly create = (): Socket => {
    const socket = new Socket();
    this.#open.add(socket);
    return socket.once('close', () => this.#open.delete(socket));
  };

  /** Breaks all that were created so far. */
  destroy(): void {
    for (const socket of this.#open) socket.destroy();
  }
}

/** Of connections whose statements may meet a lock that somebody else holds: nobody waits for ever. */
export const STATEMENT_TIMEOUT = '-c statement_timeout=30000';

/**
 * Settings of connections for statements that an index answers. They plan without sequential scans, bitmaps and sorts where
 * an index offers the order, because a plan made while a table was empty or its statistics old would otherwise read the
 * table from end to end; and they keep their plans.
 */
export const INDEXED = '-c timezone=UTC -c enable_seqscan=off -c enable_bitmapscan=off -c enable_sort=off';
