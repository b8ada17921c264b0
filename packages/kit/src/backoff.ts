export interface BackoffOptions {
  /** Delay before the first retry, milliseconds. */
  baseMs: number;
  /** Upper bound of every delay, milliseconds. */
  maxMs: number;
  /** Uniform random number in [0, 1); a parameter so that schedules can be replayed. */
  random?: () => number;
}

/**
 * Exponential back-off with jitter: retry n (from 0) waits between half of and the whole of base x 2^n, capped.
 * The jitter keeps many clients that lost one server from coming back in the same millisecond.
 * @example
 * import { toBackoffMs } from '@berth/kit';
 * toBackoffMs(2, { baseMs: 1_000, maxMs: 60_000, random: () => 0 }); // => 2_000
 */
export const toBackoffMs = (retry: number, { baseMs, maxMs, random = Math.random }: BackoffOptions): number => {
  const ceilingMs = Math.min(maxMs, baseMs * 2 ** Math.min(retry, 30));
  return Math.round(ceilingMs / 2 + (ceilingMs / 2) * random());
};
