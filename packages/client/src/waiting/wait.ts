/** Waiting for something on the server: by events, and by looking now and then where there are none. */
import { ApiError, ConnectionError, TimeoutError, UnexpectedAnswerError } from '../errors.ts';
import { Deadline, pause } from '../http/deadline.ts';
import type { CallOptions } from '../options.ts';
import type { LiveEvent } from '../types.ts';
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
const MAX_POLL_MS = 15_000;
/** With events: in case that one is lost for a cause that nobody thought of. */
const LIVE_POLL_MS = 30_000;

/** What is waited for. */
export interface Wanted<Result> {
  /** A phrase for errors. */
  what: string;
  /** Reads how it stands; undefined as long as it goes on. */
  look: (options: CallOptions) => Promise<Result | undefined>;
  /** Whether the event is about it. */
  isAbout: (event: LiveEvent) => boolean;
  changes: Changes;
  signal: AbortSignal | undefined;
  waitMs: number;
  /** What goes on when the waiting ends before; called then. */
  toOutcome: () => Promise<string> | string;
}

/** The server is away for a while, or has no time: whoever waits goes on waiting. */
const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  error instanceof TimeoutError ||
  error instanceof UnexpectedAnswerError ||
  (error instanceof ApiError && (error.status >= 500 || error.status === 429));

/** Looks until there is a result. @throws AbortedError, TimeoutError, and what `look` throws */
export const waitUntil = async <Result>(wanted: Wanted<Result>): Promise<Result> => {
  const { what, look, isAbout, changes, signal, waitMs, toOutcome } = wanted;
  const deadline = new Deadline(signal, waitMs);
  let wakeUp = new AbortController();
  const unwatch = changes.watch((event) => {
    if (event.event === 'ready' || event.event === 'reset' || isAbout(event)) wakeUp.abort();
  });
  const wake = (): void => wakeUp.abort();
  deadline.signal.addEventListener('abort', wake);
  try {
    for (let pollMs = FIRST_POLL_MS; !deadline.signal.aborted; pollMs = Math.min(MAX_POLL_MS, pollMs * 1.5)) {
      // Before the look, so that a change while it is under way leads to another one.
      wakeUp = new AbortController();
      const result = await look({ signal: deadline.signal, maxRetries: 0 }).catch((error: unknown) => {
        if (deadline.signal.aborted || !isPassing(error)) throw error;
      });
      if (result !== undefined) return result;
      if (deadline.signal.aborted) break;
      await pause(changes.isLive ? LIVE_POLL_MS : pollMs, wakeUp.signal);
    }
    throw new Error('The deadline is over.');
  } catch (error) {
    throw deadline.toError(error, what, deadline.signal.aborted ? ` ${await toOutcome()}` : '');
  } finally {
    unwatch();
    deadline.close();
  }
};
