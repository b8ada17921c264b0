/** How a client is set up. */
import { BerthError } from './errors.ts';

/**
 * How a client is set up: with a token in a program, with `session: true` in a page that Berth itself serves.
 * @example
 * import { Berth, type BerthOptions } from '@berth/client';
 * const options: BerthOptions = { baseUrl: 'https://berth.example.com', token: '12|secret', timeoutMs: 10_000 };
 * new Berth(options).baseUrl; // => 'https://berth.example.com'
 */
export interface BerthOptions {
  /** Address of the server: `https://berth.example.com`. In a page that it serves it may be left out. */
  baseUrl?: string | undefined;
  /** An API token. Without one, and without `session`, only what needs no account works. */
  token?: string | undefined;
  /** In a browser: sign in by the cookie of the session. The value that changes need is fetched and sent by itself. */
  session?: boolean | undefined;
  /** How long one attempt may take, response included; 60 s. */
  timeoutMs?: number | undefined;
  /** How often an attempt is repeated; 2. */
  maxRetries?: number | undefined;
  /** Longest response that is taken; 64 MiB. */
  maxAnswerBytes?: number | undefined;
  /** A `fetch` of your own, for proxies or for logging. */
  fetch?: typeof fetch | undefined;
}

/** Details of an attempt that is about to be retried. */
export interface Retry {
  /** Why. */
  error: BerthError;
  /** How often it was tried: 1, 2, … */
  attempt: number;
  /** When it is sent again. */
  retryInMs: number;
}

/** What a single call may set differently. */
export interface CallOptions {
  /** Ends the call. */
  signal?: AbortSignal | undefined;
  /** How long one attempt may take. */
  timeoutMs?: number | undefined;
  /** How often an attempt is repeated. */
  maxRetries?: number | undefined;
  /**
   * Called whenever an attempt is about to be retried: because of too many requests, or because the server was not
   * reached.
   */
  onRetry?: ((retry: Retry) => void) | undefined;
}

/** Of calls that create something. */
export interface CreateOptions extends CallOptions {
  /**
   * A key of your own, so that something is not created twice even if this program is restarted; otherwise one is
   * generated.
   */
  idempotencyKey?: string | undefined;
}

const TIMEOUT_MS = 60_000;
const MAX_RETRIES = 2;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** The options with everything filled in. */
export interface Settings {
  baseUrl: string;
  token: string | undefined;
  isSession: boolean;
  timeoutMs: number;
  maxRetries: number;
  maxAnswerBytes: number;
  fetch: typeof fetch;
}

/** The page's own address, in a browser. */
const findOrigin = (): string | undefined => (globalThis as { location?: { origin: string } }).location?.origin;

const toBaseUrl = (text = findOrigin()): string => {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new BerthError(
      'Give the address of the server as baseUrl: https://berth.example.com, with nothing behind it.',
    );
  }
  return url.href.replace(/\/+$/, '');
};

const assertToken = (token: string | undefined): void => {
  // The token itself must not be part of the text.
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new BerthError(
      'The token is not one: it is like 12|abc…, without spaces. Was a line break read along with it?',
    );
  }
};

/** @throws BerthError for an address or a token that cannot be one */
export const toSettings = (options: BerthOptions): Settings => {
  assertToken(options.token);
  return {
    baseUrl: toBaseUrl(options.baseUrl),
    token: options.token,
    isSession: options.session ?? false,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    maxRetries: options.maxRetries ?? MAX_RETRIES,
    maxAnswerBytes: options.maxAnswerBytes ?? MAX_ANSWER_BYTES,
    // Looked up at each call: a program may replace it, and browsers refuse it without its own `this`.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
  };
};
