/**
 * Sends entries of the log to who watches: each once and in order, from where a reader was before, or from now on. What is
 * announced only says that there is something; it is read from the log, for all readers of a user at once.
 */
import type { UserEvent } from '@berth/contract';
import type { Logger } from '@berth/kit';
import type { Queryable } from '../db/database.ts';
import type { EventHorizon } from './horizon.ts';
import { listEvents } from './log.ts';

/** Entries in one reading. */
const READ_ENTRIES = 500;
/** Whoever missed more reads its lists, and the log by its route where it needs all of it. */
const MAX_MISSED = 1_000;

export interface LogReader {
  readonly owner: { userId: string };
  readonly closed: AbortSignal;
  /** The last entry that it received before; undefined: it begins now. */
  readonly lastEventId: string | undefined;
  sendEntry(entry: UserEvent): void;
  /** @param id the entry from which the reader goes on */
  send(event: 'reset', data: object, id: number): void;
  end(): void;
}

interface Feed {
  /** The readers, with the entry that each received last. */
  positions: Map<LogReader, number>;
  /** More was announced since the reading that is under way began. */
  isBehind: boolean;
  isReading: boolean;
}

/** The id in a header `Last-Event-ID`; undefined where it is none of ours. */
const toId = (text: string): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);

export class LogFeed {
  readonly #db: Queryable;
  readonly #horizon: EventHorizon;
  readonly #log: Logger;
  readonly #feeds = new Map<string, Feed>();

  constructor(db: Queryable, horizon: EventHorizon, log: Logger) {
    this.#db = db;
    this.#horizon = horizon;
    this.#log = log;
  }

  /**
   * Where a reader begins that comes now.
   * @throws DatabaseUnavailableError
   */
  async findStart(): Promise<number> {
    await this.#horizon.advance();
    return this.#horizon.value;
  }

  /**
   * Sends what the reader missed up to its start, and from then on what comes.
   * @throws DatabaseUnavailableError
   */
  async add(reader: LogReader, horizon: number): Promise<void> {
    const { userId } = reader.owner;
    if (reader.lastEventId !== undefined) await this.#sendMissed(reader, toId(reader.lastEventId), horizon);
    if (reader.closed.aborted) return;
    const feed = this.#feeds.get(userId) ?? {
      positions: new Map<LogReader, number>(),
      isBehind: false,
      isReading: false,
    };
    feed.positions.set(reader, horizon);
    this.#feeds.set(userId, feed);
    // What was announced since the look at the horizon found no reader.
    this.announce(userId);
  }

  remove(reader: LogReader): void {
    const { userId } = reader.owner;
    const feed = this.#feeds.get(userId);
    feed?.positions.delete(reader);
    if (feed?.positions.size === 0) this.#feeds.delete(userId);
  }

  /** There is something new for the user. */
  announce(userId: string): void {
    const feed = this.#feeds.get(userId);
    if (!feed) return;
    feed.isBehind = true;
    if (feed.isReading) return;
    this.#read(userId, feed).catch((error: unknown) => {
      // They come back, and say what they received last.
      this.#log.debug({ err: error }, 'the log of events could not be read for those who watch; they are sent away');
      for (const reader of feed.positions.keys()) reader.end();
    });
  }

  async #sendMissed(reader: LogReader, after: number | undefined, horizon: number): Promise<void> {
    if (after === undefined || after > horizon) return reader.send('reset', {}, horizon);
    const limit = MAX_MISSED + 1;
    const { events, isForgotten } = await listEvents(this.#db, reader.owner.userId, { after, horizon, limit });
    if (isForgotten || events.length > MAX_MISSED) return reader.send('reset', {}, horizon);
    for (const event of events) reader.sendEntry(event);
  }

  async #read(userId: string, feed: Feed): Promise<void> {
    feed.isReading = true;
    try {
      while (feed.isBehind && feed.positions.size > 0) {
        feed.isBehind = false;
        await this.#horizon.advance();
        if (feed.positions.size === 0) return;
        const horizon = this.#horizon.value;
        for (const [reader, position] of feed.positions) {
          if (position <= horizon) continue;
          // Of a database that another one took over from.
          reader.send('reset', {}, horizon);
          feed.positions.set(reader, horizon);
        }
        // Whoever comes meanwhile may have to be sent what is before these, and is served by the next reading.
        const served = [...feed.positions];
        const after = Math.min(...feed.positions.values());
        const { events, next } = await listEvents(this.#db, userId, { after, horizon, limit: READ_ENTRIES });
        for (const [reader, position] of served) {
          if (!feed.positions.has(reader)) continue;
          for (const event of events) if (event.id > position) reader.sendEntry(event);
          feed.positions.set(reader, Math.max(position, next ?? horizon));
        }
        if (next !== null) feed.isBehind = true;
      }
    } finally {
      feed.isReading = false;
    }
  }
}
