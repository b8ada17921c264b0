/**
 * The weather between a browser and the server: on a quick machine answers and events arrive in the order in which they were
 * sent, elsewhere they do not. This stands between the two and delays what the server says. What comes on one
 * connection stays in its order, as with any line; `Host`, `Origin` and cookies pass as they are.
 */
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sleep } from '@berth/kit';

/**
 * `random`: everything is late, each time by another span. `late-answers`: events come before the answers that began before
 * them. `late-events`: the other way round. `late-stream`: the server is asked for events when much has happened already.
 */
export const weathers = ['random', 'late-answers', 'late-events', 'late-stream'] as const;
export type Weather = (typeof weathers)[number];

const LATE_MS = 200;
const LATE_STREAM_MS = 1_000;
const STREAM_PATH = '/v1/my/events';

export interface Line {
  /** What the browser takes for the address of the server. */
  url: string;
  /** In words, for the message of a flow that failed in it. */
  weather: string;
  close(): Promise<void>;
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
const createRandom = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** @param text `random`, `late-events`, …; `random:4711` is the weather of that seed. Undefined where none is wanted */
export const parseWeather = (text: string | undefined): { weather: Weather; seed: number } | undefined => {
  if (!text) return undefined;
  const [name, seed = Math.floor(Math.random() * 1e6)] = text.split(':');
  const weather = weathers.find((one) => one === name);
  if (!weather) throw new Error(`BERTH_TEST_WEATHER is ${text}, not one of ${weathers.join(', ')}`);
  return { weather, seed: Number(seed) };
};

/** Hands the parts of an answer on, each at its time, and none before the one that came before it. */
const passOn = async (from: IncomingMessage, to: ServerResponse, toDelayMs: () => number): Promise<void> => {
  let passed: Promise<unknown> = Promise.resolve();
  const pass = (step: () => unknown): void => {
    const due = sleep(toDelayMs());
    passed = passed.then(() => due).then(step);
  };
  // What is said of the connection to the server is not true of the one to the browser.
  const { connection: _, 'keep-alive': _keepAlive, 'transfer-encoding': _encoding, ...headers } = from.headers;
  pass(() => to.writeHead(from.statusCode ?? 502, headers).flushHeaders());
  try {
    for await (const chunk of from) pass(() => to.write(chunk));
    pass(() => to.end());
  } catch {
    // The server is gone, and so is this connection to it.
    pass(() => to.destroy());
  }
  await passed;
};

/** @param toServer the server's address, asked with every request */
export const startLine = async (toServer: () => string, weather: Weather, seed: number): Promise<Line> => {
  const random = createRandom(seed);
  const toDelayMs = (isStream: boolean): number => {
    if (weather === 'random') return random() * LATE_MS;
    return weather === (isStream ? 'late-events' : 'late-answers') ? LATE_MS : 0;
  };

  const pass = async (asked: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const isStream = asked.url?.startsWith(STREAM_PATH) === true;
    const gone = new AbortController();
    answer.once('close', () => gone.abort());
    if (isStream && weather === 'late-stream') await sleep(LATE_STREAM_MS, gone.signal);
    const headers = { ...asked.headers, connection: 'close' };
    const passed = request(toServer() + asked.url, { method: asked.method, headers, signal: gone.signal });
    asked.pipe(passed);
    const [from] = (await once(passed, 'response')) as [IncomingMessage];
    await passOn(from, answer, () => toDelayMs(isStream));
  };
  const server = createServer((asked, answer) => {
    // The browser sees what it would see without a line: a server that is not there, or is there no longer.
    pass(asked, answer).catch(() => answer.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    weather: `${weather}:${seed}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
