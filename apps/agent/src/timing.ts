import { type Clock, sleep, systemClock } from '@berth/kit';

/** Time and chance as the loops see them; parameters, so that a simulation can drive the loops with virtual time. */
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
