import {
  request as requestPlain,
  type Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { request as requestSecure, type RequestOptions } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { toConnectionReason, ServerError, toForeignError } from './server-error.ts';
import { toProxyRequest, type ConnectionLimit } from './tunnel-agent.ts';

export interface ExchangeRequest {
  method: 'GET' | 'POST';
  url: URL;
  /** Is asked for the URL, instead of the server itself. */
  proxy?: URL | undefined;
  headers: Record<string, string>;
  body?: string | Buffer;
  /** For an exchange of a few bytes. A larger one gets more time, as long as it makes progress. */
  timeoutMs: number;
  maxAnswerBytes: number;
  /** Whether the caller must learn of every broken connection: a hidden retry would not be equivalent. */
  isNeverResent?: boolean | undefined;
  /** Any of them ends the exchange. */
  signals: readonly AbortSignal[];
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** As far as it was received. */
  body: Buffer;
}

/** An answer that broke off: the exchange may be resumed from what has arrived. */
export class BrokenAnswerError extends ServerError {
  readonly answer: Answer;

  constructor(message: string, answer: Answer, options: ErrorOptions) {
    super('unreachable', message, undefined, options);
    this.answer = answer;
  }
}

/** An exchange slower than this is given up eventually, even if it trickles. */
const BYTES_PER_SECOND = 4_000;
/** The longest pause in an answer that has begun. */
const SILENCE_MS = 20_000;

/** Ends an exchange without progress: a slow link takes its time, a dead one is noticed. */
class Watch {
  readonly #timeoutMs: number;
  readonly #onLate: (reason: string) => void;
  readonly #startedAtMs = performance.now();
  #movedBytes: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number, sentBytes: number, onLate: (reason: string) => void) {
    this.#timeoutMs = timeoutMs;
    this.#movedBytes = sentBytes;
    this.#onLate = onLate;
    this.#arm(Infinity);
  }

  note(receivedBytes: number): void {
    this.#movedBytes += receivedBytes;
    this.#arm(SILENCE_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #arm(silenceMs: number): void {
    const allowedMs = this.#timeoutMs + (this.#movedBytes / BYTES_PER_SECOND) * 1000;
    const restMs = Math.max(0, this.#startedAtMs + allowedMs - performance.now());
    const reason = silenceMs < restMs ? `nothing came for ${silenceMs} ms` : `no answer within ${allowedMs} ms`;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#onLate(reason), Math.min(silenceMs, restMs));
  }
}

const readAnswer = async (response: IncomingMessage, maxBytes: number, watch: Watch, call: string): Promise<Answer> => {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const toAnswer = (): Answer => ({
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: Buffer.concat(chunks),
  });
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw toForeignError(call, `with more than ${maxBytes} bytes`);
      watch.note(chunk.length);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof ServerError) throw cause;
    throw new BrokenAnswerError(`${call} was answered in part: ${toConnectionReason(cause)}`, toAnswer(), { cause });
  }
  return toAnswer();
};

interface Sending {
  call: string;
  watch: Watch;
  /** The end of the time for the exchange, with the reason. */
  limit: AbortSignal;
  onRequest: (request: ClientRequest) => void;
}

/**
 * Rejects at the limit with its reason, whatever the request does: one that is destroyed before it has a socket emits
 * nothing. One that is answered with an upgrade emits no error.
 */
const waitForResponse = (request: ClientRequest, call: string, limit: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
    request.once('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      reject(toForeignError(call, `with status ${statusCode}`));
    });
    limit.addEventListener('abort', () => {
      request.destroy(limit.reason as Error);
      reject(limit.reason as Error);
    });
  });

const send = async (agent: Agent, exchange: ExchangeRequest, sending: Sending): Promise<Answer> => {
  const { call, watch, limit, onRequest } = sending;
  limit.throwIfAborted();
  const { method, url, proxy } = exchange;
  const target: RequestOptions = proxy ? { ...toProxyRequest(proxy, url.host), path: url.href } : urlToHttpOptions(url);
  const start = (proxy ?? url).protocol === 'https:' ? requestSecure : requestPlain;
  const length = exchange.body === undefined ? 0 : Buffer.byteLength(exchange.body);
  const headers = { ...exchange.headers, ...target.headers, 'content-length': String(length) };
  const options: RequestOptions & ConnectionLimit = { ...target, agent, method, headers, limit };
  const request = start(options);
  onRequest(request);
  const response = waitForResponse(request, call, limit);
  request.end(exchange.body);
  return readAnswer(await response, exchange.maxAnswerBytes, watch, call);
};

/**
 * The server closed an idle connection at the very moment when it was reused. Most likely nothing was received; a proxy
 * that cuts off a connection before the answer looks the same.
 */
const isStaleConnection = (request: ClientRequest | undefined, error: unknown): boolean =>
  request?.reusedSocket === true && (error as NodeJS.ErrnoException).code === 'ECONNRESET';

/**
 * One HTTP exchange with limited time and size. Rejects with a retryable ServerError when there is no complete answer;
 * after an abort of a signal too (the caller recognises that by the signal).
 */
export const exchange = async (agent: Agent, request: ExchangeRequest): Promise<Answer> => {
  let current: ClientRequest | undefined;
  const call = `${request.method} ${request.url.pathname}`;
  const end = new AbortController();
  const limit = end.signal;
  const stop = (reason: string) => end.abort(new Error(reason));
  const onAbort = () => stop('aborted');
  const watch = new Watch(request.timeoutMs, Buffer.byteLength(request.body ?? ''), stop);
  for (const signal of request.signals) signal.addEventListener('abort', onAbort);
  try {
    if (request.signals.some(({ aborted }) => aborted)) onAbort();
    const attempt = () => send(agent, request, { call, watch, limit, onRequest: (started) => (current = started) });
    return await attempt().catch((error: unknown) => {
      if (!request.isNeverResent && isStaleConnection(current, error) && !limit.aborted) return attempt();
      throw error;
    });
  } catch (error) {
    if (error instanceof ServerError) throw error;
    throw new ServerError('unreachable', `${call} failed: ${toConnectionReason(error)}`, undefined, { cause: error });
  } finally {
    watch.stop();
    for (const signal of request.signals) signal.removeEventListener('abort', onAbort);
  }
};
