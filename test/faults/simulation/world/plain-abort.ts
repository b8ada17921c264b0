/**
 * Aborting without the machinery of the DOM: a schedule makes and aborts hundreds of signals, and each of Node's is an event
 * target, with an event and an exception with a stack per abort. These do the same for the programs that are simulated:
 * listeners are called at once, in their order, and those that another of them took away are not.
 */
const reason = new Error('This operation was aborted');
reason.name = 'AbortError';

class PlainSignal {
  aborted = false;
  reason: unknown;
  /** An abort comes once, so that `once` needs no attention. */
  readonly #listeners = new Set<() => void>();

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason as Error;
  }

  abortNow(given: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = given;
    for (const listener of [...this.#listeners]) if (this.#listeners.has(listener)) listener();
    this.#listeners.clear();
  }
}

class PlainAbortController {
  readonly signal = new PlainSignal();

  abort(given: unknown = reason): void {
    this.signal.abortNow(given);
  }
}

globalThis.AbortController = PlainAbortController as unknown as typeof AbortController;
