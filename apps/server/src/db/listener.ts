/**
 * The connection that listens. A notification is a hint that may get lost with the connection; `onGap` reports when
 * that may have happened. The connection is checked every few seconds: if it is silently dead, so are all the others.
 */
import { sleep, toBackoffMs, type Logger } from '@berth/kit';
import pg from 'pg';
import type { Times } from '../times.ts';
import type { PostgresAddress } from './address.ts';
import { Sockets } from './connection.ts';

const MAX_MISSED_PINGS = 2;
const CONNECT_TIMEOUT_MS = 10_000;

export interface ListenerHandlers {
  onMessage: (payload: string) => void;
  /** Listening has resumed after an interruption: notifications may have been missed. */
  onGap?: () => void;
}

export class Listener {
  readonly #address: PostgresAddress;
  readonly #log: Logger;
  readonly #pingMs: number;
  readonly #handlers = new Map<string, ListenerHandlers>();
  readonly #sockets = new Sockets();
  readonly #stopped = new AbortController();
  #client: pg.Client | undefined;
  #pings: NodeJS.Timeout | undefined;
  #missedPings = 0;

  constructor(address: PostgresAddress, log: Logger, { databasePingMs }: Times) {
    this.#address = address;
    this.#log = log;
    this.#pingMs = databasePingMs;
    address.onLost(() => this.#sockets.destroy());
  }

  /** Call it before `start`. */
  on(channel: string, handlers: ListenerHandlers): void {
    this.#handlers.set(channel, handlers);
  }

  /** Starts to listen; a lost connection is replaced. */
  async start(): Promise<void> {
    this.#client = await this.#connect();
    this.#pings = setInterval(() => void this.#ping(), this.#pingMs);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    clearInterval(this.#pings);
    await this.#client?.end().catch(() => undefined);
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#address.url,
      application_name: 'berth listener',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: this.#pingMs,
      keepAlive: true,
      stream: this.#sockets.create,
    });
    client.on('error', (error) => this.#log.warn({ err: error }, 'the listening connection was lost'));
    client.on('notification', ({ channel, payload }) => {
      if (payload !== undefined) this.#handlers.get(channel)?.onMessage(payload);
    });
    try {
      await client.connect();
      for (const channel of this.#handlers.keys()) await client.query(`listen ${channel}`);
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
    // Only a connection that has listened is replaced when it ends: where none was established, the caller retries.
    client.once('end', () => void this.#reconnect());
    return client;
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#stopped;
    for (let retry = 0; !signal.aborted; retry += 1) {
      await sleep(toBackoffMs(retry, { baseMs: 100, maxMs: 5_000 }), signal);
      if (signal.aborted) return;
      try {
        const client = await this.#connect();
        if (signal.aborted) return await client.end();
        this.#client = client;
        for (const { onGap } of this.#handlers.values()) onGap?.();
        return;
      } catch (error) {
        this.#log.debug({ err: error }, 'the listening connection is not back yet');
        await this.#address.search();
      }
    }
  }

  async #ping(): Promise<void> {
    const client = this.#client;
    try {
      await client?.query('select 1');
      this.#missedPings = 0;
    } catch (error) {
      // A connection that ended is being replaced already; one that hangs takes the others with it.
      if (client !== this.#client || !/timeout/i.test((error as Error).message)) return;
      this.#missedPings += 1;
      if (this.#missedPings < MAX_MISSED_PINGS) return;
      this.#missedPings = 0;
      this.#log.warn({ err: error }, 'PostgreSQL does not answer; its connections are given up');
      this.#address.lose();
    }
  }
}
