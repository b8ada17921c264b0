import type { Logger } from '@berth/kit';
import pg from 'pg';
import type { PostgresAddress } from './address.ts';
import { CONFIG, Sockets, STATEMENT_TIMEOUT } from './connection.ts';

export interface PoolOptions {
  max: number;
  options: string;
  idleInTransactionMs: number;
}

/** Connections that one caller at a time has to itself. */
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
    // While somebody holds a connection the pool does not listen, and an error event without a listener ends the process.
    // Its holder hears of the loss by the statement.
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

  /** Begins anew with other connections; statements under way fail. */
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
