import { type Logger, type Timing, toBackoffMs } from '@berth/kit';
import { ServerError } from './server-error.ts';

/** While the server is down: 0.25-0.5 s before the first retry, up to 10 s later on. */
const BACKOFF = { baseMs: 500, maxMs: 10_000 };

export interface RepeatOptions {
  signal: AbortSignal;
  timing: Timing;
  log: Logger;
  maxMs?: number;
  /** Errors that the caller handles; otherwise such a call is retried too: the server may be fixed. */
  rejects?: readonly ('refused' | 'failed')[];
}

const isWorthRepeating = (error: unknown, rejects: readonly ServerError['kind'][]): boolean =>
  error instanceof ServerError && error.kind !== 'fatal' && !rejects.includes(error.kind);

/**
 * Retries a call until the server answers it. Rejects with fatal errors, and with bugs of our own.
 * @returns undefined once the signal aborts
 */
export const repeatUntilAnswered = async <Result>(
  call: () => Promise<Result>,
  { signal, timing, log, maxMs = BACKOFF.maxMs, rejects = [] }: RepeatOptions,
): Promise<Result | undefined> => {
  for (let retry = 0; !signal.aborted; retry += 1) {
    try {
      const result = await call();
      if (retry > 0) log.info({ retries: retry }, 'the server answers again');
      return result;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!isWorthRepeating(error, rejects)) throw error;
      const level = retry === 0 ? 'warn' : 'debug';
      log[level]({ reason: (error as Error).message }, 'the server does not answer; trying again');
      await timing.sleep(toBackoffMs(retry, { ...BACKOFF, maxMs, random: timing.random }), signal);
    }
  }
  return undefined;
};
