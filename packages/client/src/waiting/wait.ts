/** Waiting for something on the server: by events, and by looking now and then where there are none. */
import { ApiError, ConnectionError, TimeoutError, UnexpectedAnswerError } from '../errors.ts';
import { assertOptions } from '../http/call.ts';
import { Deadline, pause } from '../http/deadline.ts';
import type { LiveEvent } from '../types.ts';
import { CallbackError } from './call-back.ts';
import type { Changes } from './changes.ts';

/** How long, and until when, something is waited for. */
export interface WaitOptions {
  /** Ends the waiting, and nothing but the waiting. */
  signal?: AbortSignal | undefined;
  /** How long to wait at most; half an hour for terminals, two for tasks. */
  waitMs?: number | undefined;
}

/** Without events: what is looked at seldom is told late, what is looked at often is a burden. */
const FIRST_POLL_MS = 1_000;
const MAX_POLL_MS = 16_000;
/** With events: in case that one is lost for a cause that nobody thought of. */
const LIVE_POLL_MS = 60_000;
/** A stream that opens more slowly is not waited for. */
const MAX_OPENING_MS = 3_000;

/** What is waited for. */
export interface Wanted<Result> {
  /** A phrase for errors. */
  what: string;
  /** Reads how it stands; undefined as long as it goes on. */
  look: (signal: AbortSignal) => Promise<Result | undefined>;
  /** Whether the event is a reason to look. */
  isReason: (event: LiveEvent) => boolean;
  changes: Changes;
  signal: AbortSignal | undefined;
  waitMs: number;
  /** What goes on when the waiting ends before; called then. */
  toOutcome: () => Promise<string> | string;
}

/** The server is away for a while, or has no time: whoever waits goes on waiting. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  error instanceof TimeoutError ||
  error instanceof UnexpectedAnswerError ||
  (error instanceof ApiError && (error.status >= 500 || error.status === 429));

/** Those who pause for the same span wake in the same moments, so that one request serves them all. */
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

  /** From here on, what rings is heard. */
  set(): void {
    this.#controller = new AbortController();
  }

  async wait(ms: number): Promise<void> {
    await pause(ms, this.#controller.signal);
    this.assertQuiet();
  }

  /** @throws what rang */
  assertQuiet(): void {
    if (this.#thrown !== undefined) throw this.#thrown as Error;
  }
}

/**
 * Looks once when changes are told, and again when there is a reason. Without events it looks more and more seldom.
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
      // Before the look, so that a change while it is under way leads to another one.
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
