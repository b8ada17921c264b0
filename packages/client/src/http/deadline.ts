/** What ends a call before its time: the caller's signal, or a span of time. */
import { AbortedError, BerthError, ConnectionError, TimeoutError } from '../errors.ts';

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

/** Timers count with 32 bits: beyond this they would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Aborts after a span of time, or with the caller's signal, and knows afterwards which of them it was. It leaves no listener
 * and no timer behind, so that one signal may serve any number of calls: close it in `finally`.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  #leave: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hasExpired = false;

  constructor(caller: AbortSignal | undefined, ms: number) {
    this.#caller = caller;
    if (caller?.aborted) this.#stop();
    else if (caller) this.#leave = onAbort(caller, this.#stop);
    this.extend(ms);
  }

  /** Aborted when the time is over, for either cause. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Restarts the timeout. */
  extend(ms: number): void {
    this.rest();
    this.#timer = setTimeout(
      () => {
        this.#hasExpired = true;
        // For a `fetch` of the caller's own in between, this shows that nobody canceled it.
        this.#controller.abort(new DOMException('The time is over.', 'TimeoutError'));
      },
      Math.min(ms, MAX_TIMER_MS),
    );
  }

  /** Nothing is waited for now, so no time is counted; `extend` goes on. */
  rest(): void {
    clearTimeout(this.#timer);
  }

  close(): void {
    this.rest();
    this.#leave?.();
  }

  /**
   * What went wrong, said in the terms of this client.
   * @param what a phrase: `GET /v1/my/projects`
   * @param outcome a sentence about what goes on all the same
   */
  toError(error: unknown, what: string, outcome = ''): BerthError {
    if (this.#caller?.aborted) return new AbortedError(`${what}: aborted.${outcome}`, { cause: this.#caller.reason });
    if (this.#hasExpired) return new TimeoutError(`${what}: timed out.${outcome}`, { cause: error });
    if (error instanceof BerthError) return error;
    return new ConnectionError("Couldn't reach the server.", what, { cause: error });
  }

  readonly #stop = (): void => this.#controller.abort();
}

/** Waits, or shorter if the signal says so. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      leave?.();
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, MAX_TIMER_MS));
    const leave = signal && onAbort(signal, end);
  });
