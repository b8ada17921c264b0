/** What wakes those who wait: one stream of events for all of them, open as long as anybody waits. */
import type { LiveEvent } from '../types.ts';

type Listener = (event: LiveEvent) => void;

/** A user has a limited number of streams, so that a hundred waiting calls must not open a hundred. */
export class Changes {
  readonly #open: (signal: AbortSignal, onLost: () => void) => AsyncIterable<LiveEvent>;
  readonly #listeners = new Set<Listener>();
  #closing: AbortController | undefined;
  #isLive = false;

  constructor(open: (signal: AbortSignal, onLost: () => void) => AsyncIterable<LiveEvent>) {
    this.#open = open;
  }

  /** True while every change is told; otherwise whoever waits has to look by itself. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** @returns ends it */
  watch(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (!this.#closing) void this.#run((this.#closing = new AbortController()));
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#closing?.abort();
      this.#closing = undefined;
    };
  }

  async #run(closing: AbortController): Promise<void> {
    const onLost = (): void => {
      if (this.#closing === closing) this.#isLive = false;
    };
    try {
      for await (const event of this.#open(closing.signal, onLost)) {
        if (closing.signal.aborted) break;
        this.#isLive = true;
        for (const listener of [...this.#listeners]) listener(event);
      }
    } catch {
      // No stream for this token: those who wait look by themselves, and are told then why they may not.
    }
    onLost();
  }
}
