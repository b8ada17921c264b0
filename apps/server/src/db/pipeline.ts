import type { Logger } from '@berth/kit';
import pg from 'pg';
import type { PostgresAddress } from './address.ts';
import { CONFIG, INDEXED, Sockets } from './connection.ts';
import {
  DatabaseUnavailableError,
  retryDeadlocks,
  run,
  sql,
  toDatabaseError,
  type Call,
  type WritePipeline,
  type Statement,
} from './statement.ts';

const begin = sql('', 'begin');
const commit = sql('', 'commit');

/** After an error that is fatal, PostgreSQL closes the connection. */
const isConnectionEnded = (error: unknown): boolean =>
  error instanceof DatabaseUnavailableError && (error.cause as { severity?: unknown }).severity === 'FATAL';

/**
 * One pipelined connection: statements of concurrent requests are sent without waiting for one another. Only for short
 * statements that an index answers, autocommitted unless they are sent together. A lost connection is replaced at the
 * next call; a closed one is not.
 */
export class Pipeline implements WritePipeline {
  readonly #address: PostgresAddress;
  readonly #config: pg.ClientConfig;
  readonly #log: Logger;
  readonly #sockets = new Sockets();
  #client: Promise<pg.Client> | undefined;
  #isClosed = false;

  constructor(address: PostgresAddress, log: Logger, settings = '') {
    this.#address = address;
    this.#config = { ...CONFIG, stream: this.#sockets.create, pipeline: true, options: `${INDEXED} ${settings}` };
    this.#log = log;
  }

  async query<Row extends object>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    try {
      // A heartbeat and a report lock the same leases.
      return await retryDeadlocks(() => this.#use((client) => run<Row>(client, statement, values)));
    } catch (error) {
      throw this.#address.sense(error);
    }
  }

  /** Nothing gets in between, because all of it is sent in one turn. Where one fails, the commit undoes the others. */
  async transact(calls: readonly Call[]): Promise<object[][]> {
    const all: Call[] = [[begin, []], ...calls, [commit, []]];
    const send = (client: pg.Client) =>
      Promise.all(all.map(([statement, values]) => run<object>(client, statement, values)));
    try {
      const rows = await retryDeadlocks(() => this.#use(send));
      return rows.slice(1, -1);
    } catch (error) {
      throw this.#address.sense(error);
    }
  }

  async #use<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
    const connecting = this.#connected();
    const client = await connecting;
    try {
      return await work(client);
    } catch (error) {
      // PostgreSQL says so before the connection ends: what comes in between goes to another one.
      if (isConnectionEnded(error) && this.#client === connecting) this.#client = undefined;
      throw error;
    }
  }

  #connected(): Promise<pg.Client> {
    // Work whose caller has left may get here when a stop is nearly complete: nobody would close what it opens.
    if (this.#isClosed) throw new DatabaseUnavailableError(new Error('the server stops'));
    this.#client ??= this.#connect();
    return this.#client;
  }

  #connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...this.#config, connectionString: this.#address.url });
    const connecting = client.connect().then(
      () => client,
      (error: unknown) => {
        forget();
        throw toDatabaseError(error);
      },
    );
    // A connection's last event may arrive when the next one is already in use.
    const forget = () => {
      if (this.#client === connecting) this.#client = undefined;
    };
    client.on('error', (error) => {
      this.#log.warn({ err: error }, 'a database connection was lost');
      forget();
    });
    client.on('end', forget);
    return connecting;
  }

  /** The next statement opens another connection; pending ones fail. */
  drop(): void {
    this.#client = undefined;
    this.#sockets.destroy();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const client = await this.#client?.catch(() => undefined);
    await client?.end();
  }
}
