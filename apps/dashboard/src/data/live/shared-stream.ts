/**
 * The event stream, read in one tab of the browser and forwarded to the others, together with the state of the
 * connection.
 */
import type { LiveEvent } from '@berth/client';
import { berth } from '../berth.ts';
import { toWhyLeft, type WhyLeft } from '../leave.ts';
import { getPresence, noteAlive, noteLost, watchPresence } from '../presence.ts';
import { inOneTab, openTabs, type TabMessage, type Tabs } from './channel.ts';
import { pause } from './pause.ts';

/** Between two tries after the stream ended in a way that the client itself does not retry. */
const AGAIN_MS = 3_000;

export interface StreamReader {
  /** From now on every change is reported. */
  onLive: () => void;
  onEvent: (event: LiveEvent) => void;
  /** The session is over, according to the server or another tab. */
  onLeft: (why: WhyLeft) => void;
}

/** The tab that reads the stream itself. */
class Reading {
  readonly #reader: StreamReader;
  readonly #tabs: Tabs;
  #silenceMs = 0;
  #isLive = false;

  constructor(reader: StreamReader, tabs: Tabs) {
    this.#reader = reader;
    this.#tabs = tabs;
  }

  /** Tells a newly opened tab that the stream is running. */
  greet(): void {
    if (this.#isLive) this.#tabs.post({ kind: 'live', silenceMs: this.#silenceMs });
  }

  /** Reads events until the signal ends it or the session is over. */
  async run(signal: AbortSignal): Promise<void> {
    const options = { signal, onHeard: this.#noteAlive, onLost: this.lose };
    while (!signal.aborted) {
      try {
        for await (const event of berth.events(options)) this.#take(event);
      } catch (error) {
        const why = toWhyLeft(error);
        if (why !== undefined) return this.#leave(why);
      }
      if (signal.aborted) return;
      this.lose();
      await pause(AGAIN_MS, signal);
    }
  }

  readonly lose = (): void => {
    noteLost();
    if (!this.#isLive) return;
    this.#isLive = false;
    this.#tabs.post({ kind: 'lost', since: getPresence().lostSince });
  };

  readonly #noteAlive = (silenceMs: number): void => {
    this.#silenceMs = silenceMs;
    noteAlive(silenceMs);
    this.#tabs.post({ kind: 'alive', silenceMs });
  };

  #take(event: LiveEvent): void {
    this.#tabs.post({ kind: 'event', event });
    if (event.event === 'ready') {
      this.#isLive = true;
      this.#reader.onLive();
    }
    this.#reader.onEvent(event);
  }

  #leave(why: WhyLeft): void {
    this.#tabs.post({ kind: 'left', why });
    this.#reader.onLeft(why);
  }
}

/** Follows the stream until the signal ends it, through this tab or through another one. */
export const followStream = (reader: StreamReader, signal: AbortSignal): void => {
  let reading: Reading | undefined;
  const take = (message: TabMessage): void => {
    if (message.kind === 'hello') reading?.greet();
    else if (message.kind === 'left') reader.onLeft(message.why);
    else if (message.kind === 'lost') noteLost(message.since);
    else if (message.kind !== 'event') {
      noteAlive(message.silenceMs);
      if (message.kind === 'live') reader.onLive();
    } else {
      if (message.event.event === 'ready') reader.onLive();
      reader.onEvent(message.event);
    }
  };
  const tabs = openTabs(take);
  const unwatch = watchPresence(() => {
    // Silence is noticed here before the client gives up on the stream.
    if (getPresence().link === 'lost') reading?.lose();
  });
  signal.addEventListener('abort', () => [unwatch(), tabs.close()], { once: true });
  tabs.post({ kind: 'hello' });
  const read = (): Promise<void> => (reading = new Reading(reader, tabs)).run(signal);
  inOneTab(read, signal).catch(() => undefined);
};
