/** Waiting for something on the server: by events, and by polling where there are none. */
import { ApiError, ConnectionError, TimeoutError, UnexpectedAnswerError } from '../errors.ts';
import { assertOptions } from '../http/call.ts';
import { Deadline, pause } from '../http/deadline.ts';
import type { LiveEvent } from '../types.ts';
import { CallbackError } from './call-back.ts';
import type { Changes } from './changes.ts';

/** How long, and until when, something is waited for. */
export interface WaitOptions {
  /** Ends the wait, and nothing else. */
  signal?: AbortSignal | undefined;
  /** How long to wait at most; half an hour for terminals, two for tasks. */
  waitMs?: number | undefined;
}

/** Without events: infrequent polls report late, frequent ones are a burden. */
const FIRST_POLL_MS = 1_000;
const MAX_POLL_MS = 16_000;
/** With events: in case one is lost for an unforeseen reason. */
const LIVE_POLL_MS = 60_000;
/** A stream that opens more slowly is not waited for. */
const MAX_OPENING_MS = 3_000;

/** What is waited for. */
export interface Wanted<Result> {
  /** A phrase for errors. */
  what: string;
  /** Reads the current state; undefined as long as it continues. */
  look: (signal: AbortSignal) => Promise<Result | undefined>;
  /** Whether the event is a reason to look. */
  isReason: (event: LiveEvent) => boolean;
  changes: Changes;
  signal: AbortSignal | undefined;
  waitMs: number;
  /** What continues when the wait ends early; called then. */
  toOutcome: () => Promise<string> | string;
}

/** The server is temporarily unavailable or busy: keep waiting. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  error instanceof TimeoutError ||
  error instanceof UnexpectedAnswerError ||
  (error instanceof ApiError && (error.status >= 500 || error.status === 429));

/** Pauses of the same span end at the same moments, so that one request serves them all. */
const toSharedPauseMs = (spanMs: number): number => {
  const leftMs = spanMs - (performance.now() % spanMs);
  return leftMs < spanMs / 2 ? leftMs + spanMs : leftMs;
};

/** What wakes one who waits. */
class Alarm {
  #controller = new AbortController();
  #thrown: unknown;

  readonly ring = (thrown?: unknown): void => {
    this.#thrown ??= thrown;
    this.#controller.abort();
  };

  /** From here on, alarms count. */
  set(): void {
    this.#controller = new AbortController();
  }

  async wait(ms: number): Promise<void> {
    await pause(ms, this.#controller.signal);
    this.assertQuiet();
  }

  /** @throws the error of the alarm */
  assertQuiet(): void {
    if (this.#thrown !== undefined) throw this.#thrown as Error;
  }
}

/**
 * Looks once when events arrive, and again when there is a reason. Without events it polls less and less often.
 * @throws AbortedError, TimeoutError, what `look` throws, and what a function of the caller throws
 */
export const waitUntil = async <Result>(wanted: Wanted<Result>): Promise<Result> => {
  const { what, look, isReason, changes, signal, waitMs, toOutcome } = wanted;
  assertOptions({ signal, waitMs });
  const deadline = new Deadline(signal, waitMs);
  const over = deadline.signal;
  const alarm = new Alarm();
  const onEvent = (event: LiveEvent): void => {
    try {
      if (event.event === 'ready' || event.event === 'reset' || isReason(event)) alarm.ring();
    } catch (error) {
      alarm.ring(error);
    }
  };
  const unwatch = changes.watch({ onEvent, onLost: () => alarm.ring() });
  over.addEventListener('abort', () => alarm.ring());
  try {
    if (changes.isOpening) await alarm.wait(MAX_OPENING_MS);
    for (let pollMs = FIRST_POLL_MS; !over.aborted; pollMs = Math.min(MAX_POLL_MS, 2 * pollMs)) {
      // Before the look, so that a change during it leads to another one.
      alarm.set();
      let isReported = changes.isLive;
      const result = await look(over).catch((error: unknown) => {
        if (over.aborted || !isPassing(error)) throw error;
        isReported = false;
      });
      alarm.assertQuiet();
      if (result !== undefined) return result;
      if (isReported) pollMs = FIRST_POLL_MS;
      if (!over.aborted) await alarm.wait(toSharedPauseMs(isReported ? LIVE_POLL_MS : pollMs));
    }
    throw new Error('The deadline is over.');
  } catch (error) {
    if (error instanceof CallbackError) throw error.cause;
    throw deadline.toError(error, what, over.aborted ? ` ${await toOutcome()}` : '');
  } finally {
    unwatch();
    deadline.close();
  }
};
