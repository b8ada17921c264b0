import { systemClock, type Clock } from './clock.ts';
import { sleep } from './sleep.ts';

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
