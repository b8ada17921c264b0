/** Wakes those who wait: one event stream for all of them, open as long as anybody waits. */
import type { LiveEvent } from '../types.ts';

/** Somebody who waits. */
export interface Watcher {
  onEvent: (event: LiveEvent) => void;
  /** Events stop until the next `ready`. */
  onLost: () => void;
}

type Open = (signal: AbortSignal, onLost: () => void) => AsyncIterable<LiveEvent>;

/** A caller that waits for one thing after the other does not open a stream for each. */
const LINGER_MS = 250;

/** A user has a limited number of streams, so that a hundred waiting calls must not open a hundred. */
export class Changes {
  readonly #open: Open;
  readonly #watchers = new Set<Watcher>();
  #closing: AbortController | undefined;
  #lingering: ReturnType<typeof setTimeout> | undefined;
  #isLive = false;
  #isOpening = false;

  constructor(open: Open) {
    this.#open = open;
  }

  /** True while every change is reported; otherwise waiters have to poll. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** True until it is known whether there is a stream: its first event is about to come, or its loss. */
  get isOpening(): boolean {
    return this.#isOpening;
  }

  /** @returns a function that ends it */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    clearTimeout(this.#lingering);
    if (!this.#closing) {
      this.#isOpening = true;
      void this.#run((this.#closing = new AbortController()));
    }
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.#lingering = setTimeout(() => this.#close(), LINGER_MS);
    };
  }

  #close(): void {
    this.#closing?.abort();
    this.#closing = undefined;
    this.#isLive = false;
  }

  async #run(closing: AbortController): Promise<void> {
    const onLost = (): void => {
      if (this.#closing !== closing) return;
      this.#isLive = false;
      this.#isOpening = false;
      for (const watcher of [...this.#watchers]) watcher.onLost();
    };
    try {
      for await (const event of this.#open(closing.signal, onLost)) {
        if (closing.signal.aborted) return;
        this.#isLive = true;
        this.#isOpening = false;
        for (const watcher of [...this.#watchers]) watcher.onEvent(event);
      }
    } catch {
      // No stream for this token: waiters poll, and then learn why they may not.
    }
    onLost();
    // The next waiter tries again.
    if (this.#closing === closing) this.#closing = undefined;
  }
}
