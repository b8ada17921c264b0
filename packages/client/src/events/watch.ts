/** The stream of live events, opened again whenever it ends. */
import { ApiError, ConnectionError, type BerthError } from '../errors.ts';
import { callBack, CallbackError } from '../waiting/call-back.ts';
import { Deadline, pause } from '../http/deadline.ts';
import { toSpreadMs } from '../http/retries.ts';
import type { Transport } from '../http/transport.ts';
import type { LiveEvent } from '../types.ts';
import { EventParser, type EventFrame } from './parse.ts';

/** Details of a lost stream. */
export interface LostEvents {
  /** Why. */
  error: BerthError;
  /** How often in a row it could not be kept: 1, 2, … */
  attempt: number;
  /** When it is opened again. */
  retryInMs: number;
}

/** How events are watched. */
export interface EventOptions {
  /** Ends the watching: the loop then ends by itself. */
  signal?: AbortSignal | undefined;
  /** Called whenever the stream is lost. It is reopened automatically, and then starts with `ready`. */
  onLost?: ((lost: LostEvents) => void) | undefined;
  /**
   * Called whenever the server sends something, including heartbeats. `silenceMs`: how long it may now be silent before
   * the stream counts as lost.
   */
  onHeard?: ((silenceMs: number) => void) | undefined;
  /** Begins with what happened after the entry of the log with this id. */
  after?: number | undefined;
  /** How long the stream may be silent; somewhat more than two of the server's intervals, so 11 s. */
  maxSilenceMs?: number | undefined;
}

/** Until the server has sent its interval, and where it does not. */
const FIRST_SILENCE_MS = 35_000;
/** One word may be lost, and the next one somewhat late. */
const SILENT_INTERVALS = 2;
const LATE_MS = 1_000;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/** Nothing gets better by asking again: the token is revoked, the account suspended. */
const isFinal = (error: BerthError): boolean =>
  error instanceof ApiError && error.status < 500 && ![408, 409, 429].includes(error.status);

const toDelayMs = (error: BerthError, attempt: number): number => {
  const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined;
  return asked === undefined ? delayMs : Math.max(delayMs, toSpreadMs(asked));
};

/** The response is the first word of the server, and says how often it speaks. */
const toSilenceMs = (headers: Headers): number => {
  const intervalMs = Number(headers.get('x-heartbeat-ms') ?? Number.NaN);
  return intervalMs > 0 ? Math.min(FIRST_SILENCE_MS, SILENT_INTERVALS * intervalMs + LATE_MS) : FIRST_SILENCE_MS;
};

/** One connection: its events, until it ends. Time counts only while something is waited for, not while the reader works. */
async function* watchOnce(
  transport: Transport,
  deadline: Deadline,
  { maxSilenceMs, onHeard }: EventOptions,
  after: string | undefined,
): AsyncGenerator<EventFrame, void> {
  const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': after };
  const response = await transport.open({ method: 'GET', path: '/v1/my/events', headers }, deadline);
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  const parser = new EventParser();
  const silenceMs = maxSilenceMs ?? toSilenceMs(response.headers);
  try {
    for (;;) {
      callBack(onHeard, silenceMs);
      deadline.extend(silenceMs);
      const value = (await reader?.read())?.value;
      deadline.rest();
      if (!value) return;
      yield* parser.take(value);
    }
  } finally {
    void reader?.cancel().catch(() => undefined);
  }
}

/**
 * What changes, as it changes. Nothing is collected for a reader that is slow: what it has not asked for waits in the
 * connection, the server ends that connection before long, and the next one begins with `ready`.
 * @throws ApiError where asking again is of no use
 */
export async function* watchEvents(
  transport: Transport,
  options: EventOptions,
): AsyncGenerator<LiveEvent, void, undefined> {
  const { signal, onLost, maxSilenceMs = FIRST_SILENCE_MS } = options;
  let after = options.after?.toString();
  for (let attempt = 1; !signal?.aborted; attempt += 1) {
    const deadline = new Deadline(signal, maxSilenceMs);
    let error: BerthError = new ConnectionError('The server ended the stream of events.', 'GET /v1/my/events');
    try {
      for await (const { event, id } of watchOnce(transport, deadline, options, after)) {
        attempt = 0;
        after = id ?? after;
        yield event;
        if (signal?.aborted) return;
      }
    } catch (thrown) {
      if (thrown instanceof CallbackError) throw thrown.cause;
      error = deadline.toError(thrown, 'The stream of events');
    } finally {
      deadline.close();
    }
    if (signal?.aborted) return;
    if (isFinal(error)) throw error;
    const retryInMs = toDelayMs(error, attempt + 1);
    onLost?.({ error, attempt: attempt + 1, retryInMs });
    await pause(retryInMs, signal);
  }
}
