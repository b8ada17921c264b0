import { request as requestPlain, type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { ServerError } from './server-error.ts';

export interface ExchangeRequest {
  method: 'GET' | 'POST';
  url: URL;
  headers: Record<string, string>;
  body?: string | Buffer;
  /** From the first byte sent to the last received. */
  timeoutMs: number;
  maxAnswerBytes: number;
  signal: AbortSignal;
}

export interface Answer {
  status: number;
  /** `X-Error-Code` */
  errorCode: string | undefined;
  body: Buffer;
}

const toAnswer = async (response: IncomingMessage, maxBytes: number): Promise<Answer> => {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) {
      throw new ServerError('refused', `The answer is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  const code = response.headers['x-error-code'];
  return {
    status: response.statusCode ?? 0,
    errorCode: typeof code === 'string' ? code : undefined,
    body: Buffer.concat(chunks),
  };
};

const send = async (agent: Agent, exchange: ExchangeRequest, onRequest: (request: ClientRequest) => void) => {
  const start = exchange.url.protocol === 'https:' ? requestSecure : requestPlain;
  const length = exchange.body === undefined ? 0 : Buffer.byteLength(exchange.body);
  const headers = { ...exchange.headers, 'content-length': String(length) };
  const request = start(exchange.url, { agent, method: exchange.method, headers });
  onRequest(request);
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
  });
  request.end(exchange.body);
  return toAnswer(await response, exchange.maxAnswerBytes);
};

/** The server closed an idle connection in the very moment in which it was used again: nothing was received. */
const isStaleConnection = (request: ClientRequest | undefined, error: unknown): boolean =>
  request?.reusedSocket === true && (error as NodeJS.ErrnoException).code === 'ECONNRESET';

/**
 * One HTTP exchange with bounded time and size. Rejects with a retryable ServerError when there is no whole answer; after an
 * abort of the signal too (the caller sees the abort by the signal).
 */
export const exchange = async (agent: Agent, request: ExchangeRequest): Promise<Answer> => {
  let current: ClientRequest | undefined;
  const stop = (reason: string) => current?.destroy(new Error(reason));
  const onAbort = () => stop('aborted');
  const timer = setTimeout(() => stop(`no answer within ${request.timeoutMs} ms`), request.timeoutMs);
  request.signal.addEventListener('abort', onAbort);
  try {
    if (request.signal.aborted) throw new Error('aborted');
    const attempt = () => send(agent, request, (started) => (current = started));
    return await attempt().catch((error: unknown) => {
      if (isStaleConnection(current, error) && !request.signal.aborted) return attempt();
      throw error;
    });
  } catch (error) {
    if (error instanceof ServerError) throw error;
    const { message } = error as Error;
    const call = `${request.method} ${request.url.pathname}`;
    throw new ServerError('unreachable', `${call} failed: ${message}`, undefined, { cause: error });
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', onAbort);
  }
};
