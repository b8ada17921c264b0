/** Reads live events as a program does that must not miss any: it says with each connection which one came last. */
import { setTimeout as delay } from 'node:timers/promises';
import type { UserEvent } from '@berth/contract';
import { EventReader, type TestClient } from '@berth/testing';

const RETRY_MS = 50;

export interface LiveFollower {
  readonly events: readonly UserEvent[];
  /** How often it connected, and how often it was told to read anew. */
  readonly connections: number;
  readonly resets: number;
  stop(): Promise<void>;
}

export interface LiveFollowerOptions {
  token: string;
  /** The servers, which take turns; one alone keeps its reader for as long as it answers. */
  urls: readonly string[];
  /** Reads the log by its route, where the live events cannot go on. */
  client: TestClient;
  /** The last event that is known. */
  after: number;
  /** After so many events it leaves, and goes to the next server. */
  entriesEach: number;
  /** After so long without an event, too: a server that stands still says nothing. */
  patienceMs: number;
}

export const followLive = ({ token, urls, client, after, ...limits }: LiveFollowerOptions): LiveFollower => {
  const events: UserEvent[] = [];
  const stopped = new AbortController();
  let [connections, resets] = [0, 0];
  const toLast = (): number => events.at(-1)?.id ?? after;

  /** What the log has after the last one: a page, or several. */
  const readLog = async (): Promise<void> => {
    for (;;) {
      if (stopped.signal.aborted) return;
      const path = `/v1/my/events/log?per_page=50&after=${toLast()}`;
      const answer = await client.request('GET', path, { token }).catch(() => undefined);
      if (answer?.status === 200) {
        const { data } = answer.body as { data: UserEvent[] };
        events.push(...data);
        if (data.length === 0) return;
      } else await delay(RETRY_MS);
    }
  };

  /** Takes what comes on one connection. @returns whether it has to read anew */
  const readStream = async (reader: EventReader): Promise<boolean> => {
    let isEnded = false;
    void reader.ended.then(() => (isEnded = true));
    let silentSince = performance.now();
    let taken = 0;
    for (let seen = 0; taken < limits.entriesEach && !stopped.signal.aborted;) {
      const next = reader.events[seen];
      if (next) {
        seen += 1;
        silentSince = performance.now();
        if (next.event === 'reset') return true;
        if (next.event !== 'happened') continue;
        events.push(next.data as unknown as UserEvent);
        taken += 1;
      } else if (isEnded || performance.now() - silentSince > limits.patienceMs) return false;
      else await delay(RETRY_MS / 5);
    }
    return false;
  };

  const follow = async (): Promise<void> => {
    for (let turn = 0; !stopped.signal.aborted; turn += 1) {
      const opening = EventReader.open(urls[turn % urls.length]!, token, toLast());
      const late = delay(limits.patienceMs, undefined, { ref: false });
      const reader = await Promise.race([opening, late]).catch(() => undefined);
      if (reader?.status === 200) {
        connections += 1;
        const mustReadAnew = await readStream(reader);
        reader.close();
        if (mustReadAnew) {
          resets += 1;
          await readLog();
        }
      } else {
        void opening.then((one) => one.close()).catch(() => undefined);
        await delay(RETRY_MS);
      }
    }
  };

  const done = follow();
  return {
    events,
    get connections() {
      return connections;
    },
    get resets() {
      return resets;
    },
    stop: () => {
      stopped.abort();
      return done;
    },
  };
};
