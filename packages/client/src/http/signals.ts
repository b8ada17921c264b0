/** Listeners of a signal that serves many calls: there is one, however many of them wait. Node.js warns of the eleventh. */
class Fan {
  readonly #listeners = new Set<() => void>();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#notify);
  }

  add(listener: () => void): void {
    this.#listeners.add(listener);
  }

  delete(listener: () => void): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    this.#signal.removeEventListener('abort', this.#notify);
    fans.delete(this.#signal);
  }

  readonly #notify = (): void => {
    for (const listener of [...this.#listeners]) listener();
  };
}

const fans = new WeakMap<AbortSignal, Fan>();

/**
 * Calls the listener when the signal aborts, not where it is aborted already.
 * @returns takes the listener away; call it at the end of what waits
 */
export const onAbort = (signal: AbortSignal, listener: () => void): (() => void) => {
  const fan = fans.get(signal) ?? new Fan(signal);
  fans.set(signal, fan);
  fan.add(listener);
  return () => fan.delete(listener);
};
