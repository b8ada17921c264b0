/** Live events by the client: nothing is missed, and whatever breaks is opened again. */
import { randomBytes } from 'node:crypto';
import {
  createTestDatabase,
  startTestServer,
  usualTimes,
  waitFor,
  type TestDatabase,
  type TestServer,
} from '@berth/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { EventParser, type EventFrame } from '../src/events/parse.ts';
import {
  AuthenticationError,
  Berth,
  BerthError,
  TimeoutError,
  UnexpectedAnswerError,
  type EventOptions,
  type LiveEvent,
  type LostEvents,
} from '../src/index.ts';
import { FaultyProxy } from './faulty-proxy.ts';

/** Servers of one database share the key to its secrets. */
const config = { secretKey: randomBytes(32).toString('hex') };
let database: TestDatabase;
let server: TestServer;
let proxy: FaultyProxy;
let berth: Berth;
let token: string;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startTestServer({ database, config });
  proxy = await FaultyProxy.open(server.url);
  ({ token } = await server.register('Ada Lovelace'));
  berth = new Berth({ baseUrl: proxy.url, token });
});
afterAll(async () => {
  await proxy?.close();
  await server?.close();
  await database?.close();
});

/** Reads events until its end, and keeps what came. */
class Reader {
  readonly events: LiveEvent[] = [];
  readonly lost: LostEvents[] = [];
  readonly #abort = new AbortController();
  readonly ended: Promise<unknown>;

  constructor(options: EventOptions = {}) {
    this.ended = this.#read(options).catch((error: unknown) => error);
  }

  count(name: string): number {
    return this.events.filter(({ event }) => event === name).length;
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.ended;
  }

  async #read(options: EventOptions): Promise<void> {
    const onLost = (lost: LostEvents): void => void this.lost.push(lost);
    for await (const event of berth.events({ ...options, onLost, signal: this.#abort.signal })) this.events.push(event);
  }
}

let reader: Reader;
afterEach(() => reader?.close());
const open = async (options?: EventOptions): Promise<void> => {
  reader = new Reader(options);
  await waitFor(() => reader.count('ready') === 1, { what: 'the first event' });
};

it('events report changes, after ready', async () => {
  await open();
  expect(reader.events[0]).toEqual({ event: 'ready', data: {} });
  await berth.account.tokens.create({ name: 'created' });
  await waitFor(() => reader.count('notification') === 1, { what: 'the notification of a new token' });
  expect(reader.lost).toEqual([]);
});

it('events continue when the connection breaks: the error is reported, and ready comes again', async () => {
  await open();
  proxy.cutAll();
  await waitFor(() => reader.count('ready') === 2, { what: 'the second ready' });
  expect(reader.lost).toHaveLength(1);
  expect(reader.lost[0]).toMatchObject({ attempt: 1 });
  await berth.account.tokens.create({ name: 'created again' });
  await waitFor(() => reader.count('notification') === 1, { what: 'the notification after the break' });
});

it('events miss no entry of the log between ready and a break that comes before the first entry', async () => {
  await open();
  proxy.cutAll();
  const direct = new Berth({ baseUrl: server.url, token });
  await direct.account.tokens.create({ name: 'while nobody watches' });
  await waitFor(() => reader.count('ready') === 2, { what: 'the second ready' });
  await waitFor(() => reader.count('happened') === 1, { what: 'the entry of the token' });
});

it('events go on when the server was stopped and started, however long that takes', async () => {
  await open();
  await server.close();
  proxy.cutAll();
  await waitFor(() => reader.lost.length >= 3, { what: 'attempts while the server is away' });
  expect(reader.lost.map(({ attempt }) => attempt).slice(0, 3)).toEqual([1, 2, 3]);
  expect(reader.lost[2]!.retryInMs).toBeGreaterThanOrEqual(1_000);
  server = await startTestServer({ database, config });
  proxy.target = server.url;
  await waitFor(() => reader.count('ready') === 2, { what: 'the ready of the new server' });
});

it('events go on where a stream has gone silent, or is not there at all', async () => {
  proxy.next('hang', { status: 200, headers: { 'content-type': 'text/event-stream' }, body: '', isEndless: false });
  await open({ maxSilenceMs: 5_000 });
  expect(reader.lost.map(({ error }) => error)).toEqual([expect.any(TimeoutError), expect.any(BerthError)]);
});

it('events count as lost after the interval of the server, and report each sign of life', async () => {
  const silences: number[] = [];
  const headers = { 'content-type': 'text/event-stream', 'x-heartbeat-ms': '100' };
  proxy.next({ status: 200, headers, body: ': connected\n\n', isSilent: true });
  await open({ onHeard: (silenceMs) => void silences.push(silenceMs) });
  expect(silences[0]).toBe(1_200);
  expect(silences.at(-1)).toBe(2 * usualTimes.eventPingMs + 1_000);
  expect(reader.lost[0]?.error).toBeInstanceOf(TimeoutError);
});

it('events end with what a function of the caller throws, as it is', async () => {
  const own = new TypeError('a defect of the program');
  const onHeard = () => {
    throw own;
  };
  const outcome = await berth
    .events({ onHeard })
    .next()
    .catch((error: unknown) => error);
  expect(outcome).toBe(own);
});

it('events go on after a page that is not Berth’s, and after an endless line', async () => {
  proxy.next(
    { status: 200, headers: { 'content-type': 'text/html' }, body: '<html></html>' },
    { status: 200, headers: { 'content-type': 'text/event-stream' }, body: 'data: ', isEndless: true },
  );
  await open();
  expect(reader.lost.map(({ error }) => error)).toEqual([
    expect.any(UnexpectedAnswerError),
    expect.any(UnexpectedAnswerError),
  ]);
  expect(proxy.endlessBytes).toBeLessThan(64 * 1024 * 1024);
});

it('events end with an error where asking again is of no use', async () => {
  const own = await berth.account.tokens.create({ name: 'soon gone' });
  const visitor = new Berth({ baseUrl: proxy.url, token: own.token });
  const events = visitor.events();
  expect((await events.next()).value).toEqual({ event: 'ready', data: {} });
  await berth.account.tokens.delete(Number(own.token.split('|')[0]));
  await expect(
    (async () => {
      for await (const event of events) expect(event).toBeDefined();
    })(),
  ).rejects.toThrow(AuthenticationError);
});

it('events end with their signal, and when the loop is left; then no stream is open', async () => {
  await open();
  await reader.close();
  expect(await reader.ended).toBeUndefined();
  for await (const event of berth.events()) if (event.event === 'ready') break;
  const isQuiet = async () => (await server.query('select 1 from event_watchers')).length === 0;
  await waitFor(isQuiet, { what: 'the end of all streams' });
});

const bytes = (text: string) => new TextEncoder().encode(text);

it('the text of events may come in any pieces, with any ends of lines, and with comments', () => {
  const text =
    'retry: 2000\r\n: hello\r\n\r\nid: 12\nevent: ready\ndata: {}\n\nevent: reset\ndata: {\ndata: }\n\n: ping\n\nevent: é';
  for (const size of [1, 3, 1000]) {
    const parser = new EventParser();
    const all = bytes(text);
    const frames: EventFrame[] = [];
    for (let at = 0; at < all.length; at += size) frames.push(...parser.take(all.slice(at, at + size)));
    expect(frames).toEqual([
      { event: { event: 'ready', data: {} }, id: '12' },
      { event: { event: 'reset', data: {} }, id: undefined },
    ]);
  }
});

it('the text of events that is no JSON, or has no end, is not Berth’s', () => {
  expect(() => new EventParser().take(bytes('event: ready\ndata: hello\n\n'))).toThrow(UnexpectedAnswerError);
  const parser = new EventParser();
  const feed = () => {
    for (let count = 0; count < 100; count += 1) parser.take(bytes('x'.repeat(1000)));
  };
  expect(feed).toThrow(UnexpectedAnswerError);
});
