import { setMaxListeners } from 'node:events';
import { Agent as PlainAgent, type Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { getProxyForUrl } from 'proxy-from-env';
import { exchange, type Answer } from './http-exchange.ts';
import { toForeignError, toServerError } from './server-error.ts';
import { TunnelAgent } from './tunnel-agent.ts';

/** Enough for the largest answers: the terminals of a session, and a claim of every slot with payloads of 16 KiB. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
export const CALL_TIMEOUT_MS = 30_000;

export interface Call {
  path: string;
  method?: 'GET' | 'POST';
  body: string | Buffer;
  contentType?: string;
  headers?: Record<string, string>;
  /** For a call that transfers few bytes. */
  timeoutMs?: number;
  maxAnswerBytes?: number;
  /** Whether the caller must learn of every broken connection. */
  isNeverResent?: boolean;
  signal: AbortSignal;
}

/** Sends calls. Resolves with any answer, whoever sent it; rejects with a ServerError when there was none. */
export interface Transport {
  send(call: Call, bearer?: string): Promise<Answer>;
}

export interface ServerAddress {
  serverUrl: string;
  version: string;
}

const options = { keepAlive: true, maxFreeSockets: 4 };

/** A server on the agent's own machine is reached without a proxy, whatever the environment says. */
const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');

/** The proxy that the environment specifies for a server (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`). */
const findProxy = (server: URL): URL | undefined => {
  const proxy = isLoopback(server) ? '' : getProxyForUrl(server.href);
  return proxy === '' ? undefined : new URL(proxy);
};

/**
 * Keeps connections open to an https server, perhaps in a tunnel through the proxy; or to an http server, or the proxy
 * that is asked for it.
 */
const createConnectionAgent = (server: URL, proxy: URL | undefined): PlainAgent => {
  if (server.protocol === 'https:') return proxy ? new TunnelAgent(proxy, options) : new SecureAgent(options);
  return proxy?.protocol === 'https:' ? new SecureAgent(options) : new PlainAgent(options);
};

/** Keeps connections open and sends calls, with or without a credential. */
export class ServerTransport implements Transport {
  readonly #base: URL;
  /** Asked for everything of an http server. */
  readonly #proxy: URL | undefined;
  readonly #agent: Agent;
  readonly #version: string;
  readonly #closing = new AbortController();

  constructor({ serverUrl, version }: ServerAddress) {
    this.#base = new URL(serverUrl.endsWith('/') ? serverUrl : `${serverUrl}/`);
    const proxy = findProxy(this.#base);
    this.#agent = createConnectionAgent(this.#base, proxy);
    this.#proxy = this.#base.protocol === 'https:' ? undefined : proxy;
    this.#version = version;
    // Each open call listens, and a group of hosts has many.
    setMaxListeners(0, this.#closing.signal);
  }

  send(call: Call, bearer?: string): Promise<Answer> {
    return exchange(this.#agent, {
      method: call.method ?? 'POST',
      url: new URL(call.path, this.#base),
      proxy: this.#proxy,
      headers: {
        accept: 'application/json',
        'user-agent': `berth-agent/${this.#version}`,
        ...(call.method === 'GET' ? {} : { 'content-type': call.contentType ?? 'application/json' }),
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...call.headers,
      },
      ...(call.method === 'GET' ? {} : { body: call.body }),
      timeoutMs: call.timeoutMs ?? CALL_TIMEOUT_MS,
      maxAnswerBytes: call.maxAnswerBytes ?? MAX_ANSWER_BYTES,
      isNeverResent: call.isNeverResent,
      signals: [call.signal, this.#closing.signal],
    });
  }

  /** Ends every call, also one that has no connection yet. */
  close(): void {
    this.#closing.abort();
    this.#agent.destroy();
  }
}

const toMessage = (body: Buffer): string => {
  try {
    const { msg, message } = JSON.parse(body.toString('utf8')) as { msg?: unknown; message?: unknown };
    return [msg, message].find((text) => typeof text === 'string') ?? '';
  } catch {
    return '';
  }
};

const toErrorCode = ({ headers }: Answer): string | undefined => {
  const code = headers['x-error-code'];
  return typeof code === 'string' ? code : undefined;
};

/**
 * Throws a ServerError unless the answer has one of the statuses of success; that does not prove that it is Berth's
 * own.
 */
export const assertSuccess = (call: string, answer: Answer, statuses: readonly number[] = [200]): Answer => {
  const { status, body } = answer;
  if (statuses.includes(status) && toErrorCode(answer) === undefined) return answer;
  throw toServerError(call, status, toErrorCode(answer), toMessage(body));
};

export interface JsonAnswer extends Answer {
  call: string;
  json: Record<string, unknown>;
}

/** Reads a success as a JSON object. Its fields are for `server-answers.ts` to check. */
export const toJsonAnswer = (call: string, answer: Answer): JsonAnswer => {
  const { headers, body } = assertSuccess(call, answer);
  let json: unknown;
  try {
    json = JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw toForeignError(call, `with ${headers['content-type'] ?? 'something'} that is no JSON`, { cause });
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw toForeignError(call, 'with another shape');
  return { status: answer.status, headers, body, call, json: json as Record<string, unknown> };
};

/** Sends and reads JSON objects. */
export const sendJson = async (
  transport: Transport,
  call: Omit<Call, 'body'> & { body: object },
  bearer?: string,
): Promise<JsonAnswer> =>
  toJsonAnswer(call.path, await transport.send({ ...call, body: JSON.stringify(call.body) }, bearer));
