import { systemClock, type Clock } from './clock.ts';
import { sleep } from './sleep.ts';

/** Time and chance as a loop sees them; a parameter, so that a simulation can drive the loop in virtual time. */
export interface Timing {
  clock: Clock;
  /** Waits; resolves early (never rejects) when the signal aborts. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Uniform in [0, 1). */
  random: () => number;
}

export const systemTiming: Timing = { clock: systemClock, sleep, random: Math.random };

export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
