/** Which attempts are repeated, and when. */
import { ApiError, ConnectionError, TimeoutError, UnexpectedAnswerError } from '../errors.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** A longer Retry-After is reported to the caller immediately: nobody wants a call that seems to hang. */
const MAX_RETRY_AFTER_MS = 60_000;
const MIN_SPREAD_MS = 1_000;

/** The request was not carried out, or it was and a repetition is found out by its key. */
const isPassing = (error: unknown): boolean => {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return true;
  if (!(error instanceof ApiError) && !(error instanceof UnexpectedAnswerError)) return false;
  const { status } = error;
  if (status === 409) return 'code' in error && error.code === 'idempotency_key_in_use';
  return status === 408 || status === 429 || status >= 500;
};

/** What grows with each attempt, with jitter, so that many who were cut off together do not come back together. */
export const toBackOffMs = (attempt: number, random = Math.random()): number =>
  Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.5 + random / 2);

/**
 * Never before the server's time, and spread after it: callers that got the same number do not come back in the same
 * moment, only to be sent away again.
 */
export const toSpreadMs = (askedMs: number, random = Math.random()): number =>
  askedMs + random * Math.max(MIN_SPREAD_MS, askedMs / 2);

/** Milliseconds until the next attempt; undefined where there is none. */
export const findRetryDelayMs = (error: unknown, attempt: number): number | undefined => {
  if (!isPassing(error)) return undefined;
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined;
  if (asked === undefined) return toBackOffMs(attempt);
  return asked > MAX_RETRY_AFTER_MS ? undefined : toSpreadMs(asked);
};
