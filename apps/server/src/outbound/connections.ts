/**
 * The connections to addresses of users. Each carries one call at a time, and is kept for a moment afterwards, because
 * events come in bursts. All there is of an origin is its connections: when the last one is gone, nothing is left of it.
 *
 * A call takes a place first: so many in all, so many of one user to one origin, and these take turns. At most as many
 * connections are open as there are places: an idle one makes room for a new one.
 */
import type { Socket } from 'node:net';
import { FairSemaphore, TooManyWaitingError } from '@berth/kit';
import { createClient, type HttpClient } from './connect.ts';
import { OutboundError } from './errors.ts';

export interface ConnectionLimits {
  /** Open at once. */
  total: number;
  /** Calls of one user to one origin: many users have theirs at the same one, such as a chat. */
  perOrigin: number;
  /** The same that wait. */
  maxWaiting: number;
  /** How long one without a call is kept. Most servers keep theirs for five seconds and longer. */
  idleMs: number;
}

/**
 * Of an answer as it comes from the network. What is read of a body is much less; this also bounds what no header or body
 * shows, such as interim answers and the extensions of chunks.
 */
const MAX_WIRE_BYTES = 256 * 1024;

export class Connection {
  readonly client: HttpClient;
  readonly origin: string;
  readonly #socket: Socket;
  #startBytes = 0;
  #sentBytes = 0;
  #isOverfull = false;

  constructor(client: HttpClient, origin: string, socket: Socket) {
    this.client = client;
    this.origin = origin;
    this.#socket = socket;
    // Before the HTTP client's own listener, which reads all that is there.
    socket.prependListener('readable', () => {
      if (socket.bytesRead - this.#startBytes <= MAX_WIRE_BYTES) return;
      this.#isOverfull = true;
      socket.destroy();
    });
  }

  /** Whether the answer was cut because there was no end of it. */
  get isOverfull(): boolean {
    return this.#isOverfull;
  }

  /** Whether another call may follow on it. */
  get isSound(): boolean {
    return !this.#socket.destroyed && !this.client.destroyed && this.#socket.writableLength === 0;
  }

  /** Whether anything of the call was written. */
  get hasSent(): boolean {
    return this.#socket.bytesWritten > this.#sentBytes;
  }

  beginCall(): void {
    this.#startBytes = this.#socket.bytesRead;
    this.#sentBytes = this.#socket.bytesWritten;
  }

  destroy(): void {
    this.#socket.destroy();
    void this.client.destroy().catch(() => undefined);
  }
}

export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #places: FairSemaphore;
  readonly #open = new Set<Connection>();
  /** The one that was used last stands last. */
  readonly #idle = new Map<string, Connection[]>();
  #opening = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
    const { total, perOrigin, maxWaiting } = limits;
    this.#places = new FairSemaphore({ places: total, perOwner: perOrigin, maxWaiting });
  }

  /** Open ones, and origins with idle ones. */
  get counts(): { connections: number; idleOrigins: number } {
    return { connections: this.#open.size + this.#opening, idleOrigins: this.#idle.size };
  }

  /**
   * Does a call when there is a place for it.
   * @param caller calls of one caller to one origin wait for each other
   * @throws OutboundError busy
   */
  async inTurn<Result>(caller: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await this.#places.run(caller, work);
    } catch (error) {
      if (!(error instanceof TooManyWaitingError)) throw error;
      throw new OutboundError('busy', 'Too many calls of this address wait for their turn. Try again later.', error);
    }
  }

  /**
   * Does a call that has its place, on a connection that was kept or on a new one. A kept one may have been closed there at
   * this very moment: then nothing was written, and a new one is opened.
   * @param open the socket of a new one
   */
  async use<Result>(
    origin: string,
    open: () => Promise<Socket>,
    call: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    const kept = this.#takeIdle(origin);
    if (kept) {
      try {
        return await this.#useOne(kept, call);
      } catch (error) {
        if (kept.hasSent) throw error;
      }
    }
    return this.#useOne(await this.#openNew(origin, open), call);
  }

  async #useOne<Result>(connection: Connection, call: (connection: Connection) => Promise<Result>): Promise<Result> {
    let isKept = false;
    try {
      connection.beginCall();
      const result = await call(connection);
      isKept = connection.isSound && this.#open.has(connection);
      return result;
    } finally {
      if (isKept) this.#keep(connection);
      else this.#drop(connection);
    }
  }

  /** Ends all of them, whatever is under way. */
  close(): void {
    for (const connection of this.#open) this.#drop(connection);
  }

  async #openNew(origin: string, open: () => Promise<Socket>): Promise<Connection> {
    if (this.#open.size + this.#opening >= this.#limits.total) this.#dropOldestIdle();
    this.#opening += 1;
    try {
      const socket = await open();
      const client = await createClient(origin, socket, this.#limits.idleMs);
      const connection = new Connection(client, origin, socket);
      this.#open.add(connection);
      client.on('disconnect', () => this.#drop(connection));
      socket.on('close', () => this.#drop(connection));
      return connection;
    } finally {
      this.#opening -= 1;
    }
  }

  #takeIdle(origin: string): Connection | undefined {
    const connection = this.#idle.get(origin)?.at(-1);
    if (connection) this.#removeIdle(connection);
    return connection;
  }

  #keep(connection: Connection): void {
    const { origin } = connection;
    const others = this.#idle.get(origin) ?? [];
    // To the end of the row.
    this.#idle.delete(origin);
    this.#idle.set(origin, [...others, connection]);
  }

  #removeIdle(connection: Connection): void {
    const others = this.#idle.get(connection.origin)?.filter((other) => other !== connection) ?? [];
    if (others.length > 0) this.#idle.set(connection.origin, others);
    else this.#idle.delete(connection.origin);
  }

  #dropOldestIdle(): void {
    const oldest = this.#idle.values().next().value?.[0];
    if (oldest) this.#drop(oldest);
  }

  #drop(connection: Connection): void {
    this.#open.delete(connection);
    this.#removeIdle(connection);
    connection.destroy();
  }
}
