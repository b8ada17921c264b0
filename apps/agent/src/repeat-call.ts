import { toBackoffMs, type Logger } from '@berth/kit';
import { ServerError } from './server-error.ts';
import type { Timing } from './timing.ts';

/** While the server is away: 0.25-0.5 s before the first repetition, up to 10 s later on. */
const BACKOFF = { baseMs: 500, maxMs: 10_000 };

export interface RepeatOptions {
  signal: AbortSignal;
  timing: Timing;
  log: Logger;
  maxMs?: number;
  /** True where a refused call is the caller's to deal with; otherwise it is repeated too: the server may be mended. */
  rejectsRefused?: boolean;
}

const isWorthRepeating = (error: unknown, rejectsRefused: boolean): boolean =>
  error instanceof ServerError && (error.kind === 'unreachable' || (error.kind === 'refused' && !rejectsRefused));

/**
 * Repeats a call until the server answers it. Rejects with what is fatal, and with defects of our own.
 * @returns undefined once the signal aborts
 */
export const repeatUntilAnswered = async <Result>(
  call: () => Promise<Result>,
  { signal, timing, log, maxMs = BACKOFF.maxMs, rejectsRefused = false }: RepeatOptions,
): Promise<Result | undefined> => {
  for (let retry = 0; !signal.aborted; retry += 1) {
    try {
      const result = await call();
      if (retry > 0) log.info({ retries: retry }, 'the server answers again');
      return result;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!isWorthRepeating(error, rejectsRefused)) throw error;
      const level = retry === 0 ? 'warn' : 'debug';
      log[level]({ reason: (error as Error).message }, 'the server does not answer; trying again');
      await timing.sleep(toBackoffMs(retry, { ...BACKOFF, maxMs, random: timing.random }), signal);
    }
  }
  return undefined;
};
