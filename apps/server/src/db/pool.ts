import type { Logger } from '@berth/kit';
import pg from 'pg';
import type { PostgresAddress } from './address.ts';
import { CONFIG, Sockets, STATEMENT_TIMEOUT } from './connection.ts';

export interface PoolOptions {
  max: number;
  options: string;
  idleInTransactionMs: number;
}

/** Connections that are used by one caller at a time. */
export class Pool {
  readonly #address: PostgresAddress;
  readonly #log: Logger;
  readonly #config: pg.PoolConfig;
  readonly #sockets = new Sockets();
  #pool: pg.Pool;

  constructor(address: PostgresAddress, log: Logger, { max, options, idleInTransactionMs }: PoolOptions) {
    const limits = `${STATEMENT_TIMEOUT} -c idle_in_transaction_session_timeout=${idleInTransactionMs}`;
    this.#address = address;
    this.#log = log;
    this.#config = { ...CONFIG, stream: this.#sockets.create, max, options: `${options} ${limits}` };
    this.#pool = this.#open();
  }

  #open(): pg.Pool {
    const pool = new pg.Pool({ ...this.#config, connectionString: this.#address.url });
    pool.on('error', (error) => this.#log.warn({ err: error }, 'an idle database connection was lost'));
    // The pool does not listen to a connection that is checked out, and an error event without a listener ends the
    // process. The holder learns of the loss from its statement.
    pool.on('connect', (client) => client.on('error', () => undefined));
    return pool;
  }

  /** @throws DatabaseUnavailableError */
  async connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw this.#address.sense(error);
    }
  }

  /** Replaces all connections; pending statements fail. */
  drop(): void {
    const pool = this.#pool;
    this.#pool = this.#open();
    this.#sockets.destroy();
    void pool.end().catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}
