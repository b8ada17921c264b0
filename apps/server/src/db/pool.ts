import type { Logger } from '@berth/kit';
import pg from 'pg';
import type { PostgresAddress } from './address.ts';
import { CONFIG, Sockets, STATEMENT_TIMEOUT } from './connection.ts';

/**
 * A transaction whose server says nothing for this long is ended by PostgreSQL. A server that was frozen in the middle
 * of one holds its locks, the scheduler's turn and hosts' rows among them; the others wait for no longer than this,
 * which is well within the time after which a host is lost.
 */
const IDLE_IN_TRANSACTION_MS = 8_000;

/** Connections that one caller at a time has to itself. */
export class Pool {
  readonly #address: PostgresAddress;
  readonly #log: Logger;
  readonly #config: pg.PoolConfig;
  readonly #sockets = new Sockets();
  #pool: pg.Pool;

  constructor(address: PostgresAddress, log: Logger, config: { max: number; options: string }) {
    const limits = `${STATEMENT_TIMEOUT} -c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS}`;
    this.#address = address;
    this.#log = log;
    this.#config = { ...CONFIG, stream: this.#sockets.create, max: config.max, options: `${config.options} ${limits}` };
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
