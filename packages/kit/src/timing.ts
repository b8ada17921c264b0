import { setTimeout as delay } from 'node:timers/promises';

/** Source of the current time. Decisions take `now` as a parameter; only I/O code holds a clock. */
export interface Clock {
  /** The current time, milliseconds since the Unix epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/**
 * Waits; resolves early (never rejects) when the signal aborts.
 * @example
 * import { sleep } from '@berth/kit';
 * await sleep(1_000, AbortSignal.abort());
 */
export const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
  try {
    await delay(ms, undefined, signal ? { signal } : {});
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
};

/** Time and randomness as a loop sees them; a parameter, so that a simulation can run the loop in virtual time. */
export interface Timing {
  clock: Clock;
  /** Waits; resolves early (never rejects) when the signal aborts. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Uniform in [0, 1). */
  random: () => number;
}

export const systemTiming: Timing = { clock: systemClock, sleep, random: Math.random };

/** The same with shorter pauses: each is scaled by this percentage. Clocks are unchanged. */
export const toPaced = (timing: Timing, percent: number): Timing =>
  percent === 100 ? timing : { ...timing, sleep: (ms, signal) => timing.sleep((ms * percent) / 100, signal) };

export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * Calls back once after this many milliseconds, unless the returned function is called before; a parameter, like
 * `Timing`.
 */
export type SetTimer = (run: () => void, ms: number) => () => void;

export const setSystemTimer: SetTimer = (run, ms) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};
