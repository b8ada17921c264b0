/**
 * Tells users what changes, while they watch. The events come from the database: its triggers send them with the transaction
 * that makes the change, to every server, and only for users who are noted as watched. So nothing that is committed is left
 * out, whichever server did it, and where there is no reader nothing is sent.
 *
 * An event is never the only source of what it says: `ready` and `reset` mean "read your lists now", and from then on each
 * change is told.
 */
import { randomUUID } from 'node:crypto';
import { AccountStatus, hasAbility } from '@berth/contract';
import type { Logger } from '@berth/kit';
import { DatabaseUnavailableError, type Database, type Queryable } from '../db/database.ts';
import type { Listener } from '../db/listener.ts';
import type { Times } from '../times.ts';
import { LogFeed, type LogReader } from './log-feed.ts';
import { ANNOUNCED_TABLES, findQueueUsage, unwatchEvents, watchEvents } from './watchers.ts';
import { Settlement } from '../db/settlement.ts';
import { EventHorizon } from './horizon.ts';

const CHANNEL = 'berth_events';
/** How often the tokens of streams are looked at, and their users noted anew. */
const CHECK_MS = 15_000;
/** PostgreSQL's queue of notifications is fuller than it ever is; somewhat later, changes are not told any more. */
const CROWDED = 0.5;
/** Of one user, on one server. */
export const MAX_STREAMS = 50;

interface Announcement {
  user: string;
  event: string;
  data: object | null;
}

/** Somebody who watches. */
export interface Watcher extends LogReader {
  readonly owner: { userId: string; tokenId: number };
  /** Aborts when the last reader has left. */
  readonly closed: AbortSignal;
  /**
   * Says the first event; those before it are what the watcher will find in its lists.
   * @param start the entry of the log after which a watcher begins who comes for the first time
   */
  ready(start: number): void;
  /** @param data an object, whose JSON has no line breaks */
  send(event: string, data: object, id?: number): void;
  /** Shows that the connection lives. */
  ping(): void;
  end(): void;
}

export interface LiveEventsParts {
  listener: Pick<Listener, 'on'>;
  db: Database;
  /** Says whose a token is, and what it may do; undefined where it is not valid any more. */
  identities: { findUser(tokenId: number): Promise<{ status: AccountStatus; abilities: string[] } | undefined> };
  log: Logger;
  times: Pick<Times, 'eventPingMs'>;
}

export class LiveEvents {
  readonly #parts: LiveEventsParts;
  readonly #writes: Queryable;
  readonly #settlement: Settlement;
  readonly #logFeed: LogFeed;
  readonly #serverId = randomUUID();
  readonly #streams = new Map<string, Set<Watcher>>();
  readonly #closed = new AbortController();
  /** Rises when the notes may have been lost. */
  #generation = 0;
  #isCrowded = false;
  #pings: NodeJS.Timeout | undefined;
  #checks: NodeJS.Timeout | undefined;

  /** How often a stream says that it lives. */
  readonly pingMs: number;
  /** How far the log of events may be read. */
  readonly horizon: EventHorizon;

  constructor(parts: LiveEventsParts) {
    this.#parts = parts;
    this.pingMs = parts.times.eventPingMs;
    this.#writes = parts.db.createWritePipeline('asyncCommit');
    this.#settlement = new Settlement(this.#writes, ANNOUNCED_TABLES);
    this.horizon = new EventHorizon(this.#writes);
    this.#logFeed = new LogFeed(this.#writes, this.horizon, parts.log);
    parts.listener.on(CHANNEL, {
      onMessage: (payload) => this.#take(JSON.parse(payload) as Announcement),
      onGap: () => void this.#startAnew(),
    });
  }

  /** Streams that are open here. */
  get count(): number {
    return this.#list().length;
  }

  isFull(userId: string): boolean {
    return (this.#streams.get(userId)?.size ?? 0) >= MAX_STREAMS;
  }

  /**
   * Notes the stream's user; resolves when the stream may open. Call `remove` at the end.
   * @throws DatabaseUnavailableError
   */
  async add(stream: Watcher): Promise<void> {
    const { userId } = stream.owner;
    const streams = this.#streams.get(userId) ?? new Set();
    this.#streams.set(userId, streams.add(stream));
    this.#checks ??= setInterval(() => this.#check(), CHECK_MS).unref();
    this.#pings ??= setInterval(() => this.#keepAlive(), this.pingMs).unref();
    await watchEvents(this.#writes, this.#serverId, [userId]);
  }

  /** Says `ready` as soon as no change of its user's objects can be missed any more. */
  async announceReady(stream: Watcher): Promise<void> {
    try {
      for (let generation = -1; generation !== this.#generation;) {
        generation = this.#generation;
        await this.#settlement.settle(stream.closed);
      }
      const start = await this.#logFeed.findStart();
      stream.ready(start);
      await this.#logFeed.add(stream, start);
    } catch (error) {
      this.#parts.log.debug({ err: error }, 'a reader of live events is sent away before it could be served');
      stream.end();
    }
  }

  remove(stream: Watcher): void {
    const { userId } = stream.owner;
    this.#logFeed.remove(stream);
    const streams = this.#streams.get(userId);
    if (!streams?.delete(stream) || streams.size > 0) return;
    this.#streams.delete(userId);
    // The pipeline keeps the order: should the user come back at once, that is noted after this.
    unwatchEvents(this.#writes, this.#serverId, [userId]).catch((error: unknown) => {
      this.#parts.log.debug({ err: error }, 'a user stays noted as watched until the sweep');
    });
  }

  /** Sends every reader away: to another server, or back to this one. */
  closeAll(): void {
    clearInterval(this.#pings);
    clearInterval(this.#checks);
    this.#pings = this.#checks = undefined;
    this.#closed.abort();
    for (const stream of this.#list()) stream.end();
  }

  #list(): Watcher[] {
    return [...this.#streams.values()].flatMap((streams) => [...streams]);
  }

  #take({ user, event, data }: Announcement): void {
    const streams = this.#streams.get(user);
    if (!streams) return;
    if (event === 'access') return void this.#checkAccess([...streams]);
    if (event === 'happened') return this.#logFeed.announce(user);
    for (const stream of streams) stream.send(event, data ?? {});
  }

  /** Notes users anew, and tells those who were not noted, or all, that they may have missed something. */
  async #renew(userIds: string[], { isAll = false } = {}): Promise<void> {
    if (userIds.length === 0) return;
    const rows = await watchEvents(this.#writes, this.#serverId, userIds);
    const missed = rows.filter((row) => isAll || row.is_new).map((row) => row.user_id);
    if (missed.length === 0) return;
    this.#generation += 1;
    await this.#settlement.settle(this.#closed.signal);
    this.#reset(missed);
  }

  /** Tells these users that they may have missed something. */
  #reset(userIds: Iterable<string>): void {
    for (const userId of userIds) {
      for (const stream of this.#streams.get(userId) ?? []) stream.send('reset', {});
      this.#logFeed.announce(userId);
    }
  }

  /** The listening connection was away: events were missed, and the notes may be gone. */
  async #startAnew(): Promise<void> {
    try {
      await this.#renew([...this.#streams.keys()], { isAll: true });
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'live events could not be taken up again; their readers are sent away');
      for (const stream of this.#list()) stream.end();
    }
  }

  /** While changes may go unreported, and once afterwards, sends `reset` to every reader. */
  async #lookAtQueue(): Promise<void> {
    const wasCrowded = this.#isCrowded;
    this.#isCrowded = (await findQueueUsage(this.#writes)) > CROWDED;
    if (this.#isCrowded && !wasCrowded) {
      this.#parts.log.warn(
        'PostgreSQL’s queue of notifications fills up: end the session that listens in a transaction',
      );
    }
    if (this.#isCrowded || wasCrowded) this.#reset(this.#streams.keys());
  }

  #keepAlive(): void {
    for (const stream of this.#list()) stream.ping();
  }

  /** Things that do not wait for one another. */
  #check(): void {
    const streams = this.#list();
    void this.#checkAccess(streams);
    if (streams.length === 0) return;
    const userIds = [...this.#streams.keys()];
    for (const part of [this.#renew(userIds), this.#lookAtQueue()]) {
      part.catch((error: unknown) => {
        this.#parts.log.debug({ err: error }, 'watched users could not be noted anew, or the queue not looked at');
      });
    }
  }

  /** Ends the streams whose token is revoked, expired or too weak, or whose account is suspended. */
  async #checkAccess(streams: Watcher[]): Promise<void> {
    const check = async (stream: Watcher): Promise<void> => {
      const caller = await this.#parts.identities.findUser(stream.owner.tokenId);
      const isAllowed = caller?.status === AccountStatus.ACTIVE && hasAbility(caller.abilities, 'read');
      if (!isAllowed) stream.end();
    };
    const checks = await Promise.allSettled(streams.map(check));
    for (const result of checks) {
      if (result.status === 'fulfilled' || result.reason instanceof DatabaseUnavailableError) continue;
      this.#parts.log.error({ err: result.reason as unknown }, 'the token of a stream could not be checked');
    }
  }
}
