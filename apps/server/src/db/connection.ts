import { Socket } from 'node:net';
import type pg from 'pg';
import { rowTypes } from './row-types.ts';

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
 * otherwise scan the whole table; and they keep their plans.
 */
export const INDEXED = '-c timezone=UTC -c enable_seqscan=off -c enable_bitmapscan=off -c enable_sort=off';
