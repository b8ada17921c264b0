/** Entries of the log for those who watch, where readings take long: the answers of the database are held back here. */
import { waitFor, useTestServer } from '@berth/testing';
import { createLogger } from '@berth/kit';
import { expect, it } from 'vitest';
import type { Queryable } from '../src/db/database.ts';
import { LogFeed, type LogReader } from '../src/events/log-feed.ts';

const server = useTestServer();

/** Readings of the log that begin after an event, held back until they may be answered. */
class SlowLog implements Queryable {
  readonly #held = new Map<number, Promise<void>>();
  /** After which event the readings began. */
  readonly begun: number[] = [];

  /** @returns what lets it be answered */
  hold(after: number): () => void {
    let release = (): void => undefined;
    this.#held.set(after, new Promise((resolve) => (release = resolve)));
    return release;
  }

  async query<Row extends object>(...[statement, values = []]: Parameters<Queryable['query']>): Promise<Row[]> {
    const after = Number(values[1]);
    this.begun.push(after);
    const rows = await server.services.db.query<Row>(statement, values);
    await this.#held.get(after);
    return rows;
  }
}

const createReader = (userId: string, lastEventId?: number) => {
  const came: number[] = [];
  const reader: LogReader = {
    owner: { userId },
    closed: new AbortController().signal,
    lastEventId: lastEventId === undefined ? undefined : String(lastEventId),
    sendEntry: ({ id }) => void came.push(id),
    send: (event) => expect(event).toBe('nothing to read anew'),
    end: () => expect.unreachable('the reader is sent away'),
  };
  return { reader, came };
};

it('live events come to one who returns while others are sent what is new: all that he missed, and each once', async () => {
  const { user } = await server.register('Returning');
  const happen = async (): Promise<number> => {
    const [row] = await server.query(
      `insert into events (user_id, type, data) values ($1, 'security.token_created', '{"token_id": 1, "name": "n"}')
       returning id::float8 as id`,
      [user.id],
    );
    return row!.id as number;
  };
  const log = new SlowLog();
  const feed = new LogFeed(log, server.services.events.horizon, createLogger({ name: 'feed', level: 'error' }));
  const last = await happen();
  const missed = await happen();
  const { reader: watching, came: cameToWatching } = createReader(user.id);
  await feed.add(watching, await feed.findStart());
  await waitFor(() => log.begun.includes(missed), { what: 'the first reading for who watches' });

  const answerReturning = log.hold(last);
  const { reader: returning, came } = createReader(user.id, last);
  const added = feed.add(returning, await feed.findStart());
  await waitFor(() => log.begun.includes(last), { what: 'the reading of what he missed' });
  const next = await happen();
  feed.announce(user.id);
  await waitFor(() => cameToWatching.includes(next), { what: 'an entry for who watches' });
  const answerWatching = log.hold(next);
  const newest = await happen();
  feed.announce(user.id);
  await waitFor(() => log.begun.includes(next), { what: 'the next reading for who watches' });
  answerReturning();
  await added;
  answerWatching();

  await waitFor(() => came.includes(newest) && cameToWatching.includes(newest), { what: 'the newest for both' });
  expect(came).toEqual([missed, next, newest]);
  expect(cameToWatching).toEqual([next, newest]);
  for (const reader of [watching, returning]) feed.remove(reader);
});
