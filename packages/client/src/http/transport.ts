/** The way of a request: what goes along with it, its attempts, and what its answer is taken for. */
import { UnexpectedAnswerError } from '../errors.ts';
import type { CreateOptions, Settings } from '../options.ts';
import { readBytes, toBody, toError, type Answer, type Shape } from './answer.ts';
import { Deadline, pause } from './deadline.ts';
import { findRetryDelayMs } from './retries.ts';
import { toStream } from './stream.ts';

/** What is asked for. */
export interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Made by `toPath`. */
  path: string;
  query?: object | undefined;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is. */
  content?: Uint8Array<ArrayBuffer> | Blob | string;
  headers?: Record<string, string>;
  /**
   * What a POST that is repeated comes to. `once`: something else, so that it is not repeated; `keyed`: the same, because
   * the server knows its key again; `same`: the same by itself.
   */
  post?: 'once' | 'keyed' | 'same';
  /** It needs no account, so nothing of one goes along. */
  isAnonymous?: boolean;
  options?: CreateOptions | undefined;
}

/** An id in a path stays one part of it, whatever it is: `..` would lead to another route. */
const toSegment = (id: string | number): string => {
  const text = encodeURIComponent(id);
  if (id === undefined || /^\.{0,2}$/.test(text)) throw new TypeError(`An id is missing, or is none: "${id}"`);
  return text;
};

/** Makes a path with ids in it: toPath`/v1/my/files/${id}`. */
export const toPath = (parts: TemplateStringsArray, ...ids: (string | number)[]): string =>
  String.raw({ raw: parts }, ...ids.map(toSegment));

const toQuery = (query: object): string => {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text && `?${text}`;
};

/** The requests of one client. Token and address are private, so that no print of it shows them. */
export class Transport {
  readonly #settings: Settings;
  /** What changes by cookie need: told by the server with a login, or asked for before the first change. */
  #csrfToken: string | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** `data` of the answer. */
  async data<Data>(call: Call, shape: Shape = 'object'): Promise<Data> {
    return (await this.json<{ data: Data }>(call, shape)).data;
  }

  /** The whole answer, for those that say more than `data`. */
  async json<Body>(call: Call, shape: Shape): Promise<Body> {
    const answer = await this.bytes(call);
    const body = toBody(answer, shape, this.#toName(call), this.#redact);
    const { csrf_token: csrfToken } = (body.data ?? {}) as { csrf_token?: string };
    if (this.#settings.isSession && csrfToken) this.#csrfToken = csrfToken;
    return body as Body;
  }

  /** The answer as bytes: a success, or 304. */
  async bytes(call: Call): Promise<Answer> {
    const headers = await this.#toHeaders(call);
    const { options = {}, method, post = 'once' } = call;
    const isRepeatable = method !== 'POST' || post !== 'once';
    const maxRetries = isRepeatable ? (options.maxRetries ?? this.#settings.maxRetries) : 0;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt(call, headers);
      } catch (error) {
        const delayMs = attempt < maxRetries ? findRetryDelayMs(error, attempt) : undefined;
        if (delayMs === undefined) throw error;
        // Ended by the signal, the next attempt says so.
        await pause(delayMs, options.signal);
      }
    }
  }

  /** Opens an answer that does not end; the deadline is the caller's to extend and to close. */
  async open(call: Call, deadline: Deadline): Promise<Response> {
    const response = await this.#fetch(call, await this.#toHeaders(call), deadline);
    if (response.status === 200 && response.headers.get('content-type')?.startsWith('text/event-stream'))
      return response;
    throw toError(await this.#read(response), this.#toName(call), this.#redact);
  }

  /** The answer as a stream: a success, whole or a part. It is not repeated. */
  async stream(call: Call): Promise<{ response: Response; stream: ReadableStream<Uint8Array<ArrayBuffer>> }> {
    const headers = await this.#toHeaders(call);
    const { signal, timeoutMs = this.#settings.timeoutMs } = call.options ?? {};
    const deadline = new Deadline(signal, timeoutMs);
    try {
      const response = await this.#fetch(call, headers, deadline);
      const isRight = response.status === 200 || response.status === 206;
      if (!isRight || !response.body) throw toError(await this.#read(response), this.#toName(call), this.#redact);
      return { response, stream: toStream(response.body, deadline, timeoutMs, this.#toName(call)) };
    } catch (error) {
      deadline.close();
      throw deadline.toError(error, this.#toName(call));
    }
  }

  /** @throws BerthError for an answer that is no success, so that it may be repeated */
  async #attempt(call: Call, headers: Headers): Promise<Answer> {
    const { signal, timeoutMs = this.#settings.timeoutMs } = call.options ?? {};
    const deadline = new Deadline(signal, timeoutMs);
    try {
      const answer = await this.#read(await this.#fetch(call, headers, deadline));
      if (answer.status === 200 || answer.status === 304) return answer;
      throw toError(answer, this.#toName(call), this.#redact);
    } catch (error) {
      throw deadline.toError(error, this.#toName(call));
    } finally {
      deadline.close();
    }
  }

  async #fetch(call: Call, headers: Headers, { signal }: Deadline): Promise<Response> {
    const { baseUrl, isSession, fetch } = this.#settings;
    const body = call.content ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
    const response = await fetch(baseUrl + call.path + toQuery(call.query ?? {}), {
      method: call.method,
      headers,
      signal,
      // A token goes to the address that it was given for, and nowhere else.
      redirect: 'manual',
      credentials: isSession ? 'same-origin' : 'omit',
      ...(body === undefined ? {} : { body }),
    });
    const { status } = response;
    const isRedirect = response.type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304);
    if (!isRedirect) return response;
    void response.body?.cancel().catch(() => undefined);
    throw new UnexpectedAnswerError(`${this.#toName(call)}: the answer leads elsewhere. Check the baseUrl.`, status);
  }

  async #read(response: Response): Promise<Answer> {
    const { status, headers } = response;
    return { status, headers, bytes: await readBytes(response, this.#settings.maxAnswerBytes) };
  }

  async #toHeaders({ method, content, body, headers, post, isAnonymous, options }: Call): Promise<Headers> {
    const { token, isSession } = this.#settings;
    const all = new Headers({ accept: 'application/json', ...headers });
    if (content !== undefined) all.set('content-type', 'application/octet-stream');
    else if (body !== undefined) all.set('content-type', 'application/json');
    if (post === 'keyed') all.set('idempotency-key', options?.idempotencyKey ?? crypto.randomUUID());
    if (isAnonymous) return all;
    if (token !== undefined) all.set('authorization', `Bearer ${token}`);
    else if (isSession && method !== 'GET') all.set('x-berth-csrf', await this.#getCsrfToken(options));
    return all;
  }

  async #getCsrfToken(options: CreateOptions | undefined): Promise<string> {
    if (this.#csrfToken === undefined) await this.data({ method: 'GET', path: '/v1/auth/session', options });
    return this.#csrfToken ?? '';
  }

  /** After a logout: the next session has a value of its own. */
  forgetSession(): void {
    this.#csrfToken = undefined;
  }

  #toName({ method, path }: Call): string {
    return `${method} ${path}`;
  }

  readonly #redact = (text: string): string => {
    const [, secret] = this.#settings.token?.split('|') ?? [];
    return secret ? text.replaceAll(secret, '***') : text;
  };
}
