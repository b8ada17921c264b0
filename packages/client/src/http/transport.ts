/** The way of a request: its attempts, and how its response is read. */
import { UnexpectedAnswerError, type BerthError } from '../errors.ts';
import type { CreateOptions, Settings } from '../options.ts';
import { readBytes, toBody, toError, type HttpResponse, type Json, type Shape } from './response.ts';
import { ApiPromise, type ApiResponse, type WithResponse } from './api-promise.ts';
import { prepare, type CallSource, type PreparedCall } from './call.ts';
import { Deadline, pause } from './deadline.ts';
import { findRetryDelayMs } from './retries.ts';
import { toStream, type StreamedResponse } from './stream.ts';

const toMessage = ({ msg, message }: Json): string | undefined => {
  const text = msg ?? message;
  return typeof text === 'string' ? text : undefined;
};

const toResponse = ({ status, headers }: Pick<HttpResponse, 'status' | 'headers'>, message?: string): ApiResponse => ({
  status,
  headers,
  requestId: headers.get('x-request-id') ?? undefined,
  message,
});

/** The requests of one client. Token and address are private, so that no print of it shows them. */
export class Transport {
  readonly #settings: Settings;
  /** What changes by cookie need: sent by the server with a login, or requested before the first change. */
  #csrfToken: string | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** `data` of the response. */
  data<Data>(source: CallSource, shape: Shape = 'object'): ApiPromise<Data> {
    return this.json(source, shape, ({ data }) => data as Data);
  }

  /** Of a response whose `data` is null. */
  done(source: CallSource, then: () => void = () => undefined): ApiPromise<void> {
    return this.json(source, 'nothing', then);
  }

  /** The whole response, or what is picked of it. */
  json<Result>(
    source: CallSource,
    shape: Shape,
    pick: (body: Json) => Result = (body) => body as Result,
  ): ApiPromise<Result> {
    return new ApiPromise(
      this.#send(source, (response, name) => {
        const body = toBody(response, shape, name, this.#redact);
        const { csrf_token: csrfToken } = (body.data ?? {}) as { csrf_token?: string };
        if (this.#settings.isSession && csrfToken) this.#csrfToken = csrfToken;
        return { data: pick(body), message: toMessage(body) };
      }),
    );
  }

  /**
   * The result of a binary response: a success, or 304.
   * @param read throws where it is not Berth's; `name` is for the error
   */
  bytes<Result>(source: CallSource, read: (response: HttpResponse, name: string) => Result): ApiPromise<Result> {
    return new ApiPromise(this.#send(source, (response, name) => ({ data: read(response, name), message: undefined })));
  }

  async #send<Data>(
    source: CallSource,
    read: (response: HttpResponse, name: string) => { data: Data; message: string | undefined },
  ): Promise<WithResponse<Data>> {
    const call = prepare(source);
    const response = await this.#tryAll(call);
    const { data, message } = read(response, call.name);
    return { data, response: toResponse(response, message) };
  }

  async #tryAll(call: PreparedCall): Promise<HttpResponse> {
    const headers = await this.#toHeaders(call);
    const { options, isRepeatable } = call;
    const maxRetries = isRepeatable ? (options.maxRetries ?? this.#settings.maxRetries) : 0;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt(call, headers);
      } catch (error) {
        const retryInMs = attempt < maxRetries ? findRetryDelayMs(error, attempt) : undefined;
        if (retryInMs === undefined) throw error;
        options.onRetry?.({ error: error as BerthError, attempt: attempt + 1, retryInMs });
        // Ended by the signal, the next attempt says so.
        await pause(retryInMs, options.signal);
      }
    }
  }

  /** Opens a response that does not end; the deadline is the caller's to extend and to close. */
  async open(source: CallSource, deadline: Deadline): Promise<Response> {
    const call = prepare(source);
    const response = await this.#fetch(call, await this.#toHeaders(call), deadline);
    if (response.status === 200 && response.headers.get('content-type')?.startsWith('text/event-stream'))
      return response;
    throw toError(await this.#read(response), call.name, this.#redact);
  }

  /**
   * The result of a streamed response: a success, whole or a part. It is not retried.
   * @param read throws where it is not Berth's; `name` is for the error
   */
  stream<Result>(source: CallSource, read: (response: StreamedResponse, name: string) => Result): ApiPromise<Result> {
    return new ApiPromise(this.#stream(source, read));
  }

  async #stream<Data>(
    source: CallSource,
    read: (response: StreamedResponse, name: string) => Data,
  ): Promise<WithResponse<Data>> {
    const call = prepare(source);
    const sent = await this.#toHeaders(call);
    const { signal, timeoutMs = this.#settings.timeoutMs } = call.options;
    const deadline = new Deadline(signal, timeoutMs);
    let stream: StreamedResponse['stream'] | undefined;
    try {
      const response = await this.#fetch(call, sent, deadline);
      const { status, headers, body } = response;
      if ((status !== 200 && status !== 206) || !body) {
        throw toError(await this.#read(response), call.name, this.#redact);
      }
      stream = toStream(body, deadline, timeoutMs, call.name);
      return { data: read({ status, headers, stream }, call.name), response: toResponse({ status, headers }) };
    } catch (error) {
      await stream?.cancel();
      deadline.close();
      throw deadline.toError(error, call.name);
    }
  }

  /** @throws BerthError for a response that is no success, so that it may be repeated */
  async #attempt(call: PreparedCall, headers: Headers): Promise<HttpResponse> {
    const { signal, timeoutMs = this.#settings.timeoutMs } = call.options;
    const deadline = new Deadline(signal, timeoutMs);
    try {
      const response = await this.#read(await this.#fetch(call, headers, deadline));
      if (response.status === 200 || response.status === 304) return response;
      throw toError(response, call.name, this.#redact);
    } catch (error) {
      throw deadline.toError(error, call.name);
    } finally {
      deadline.close();
    }
  }

  async #fetch(call: PreparedCall, headers: Headers, { signal }: Deadline): Promise<Response> {
    const { baseUrl, isSession, fetch } = this.#settings;
    const { method, target, body } = call;
    const response = await fetch(baseUrl + target, {
      method,
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
    throw new UnexpectedAnswerError(`${call.name}: the response leads elsewhere. Check the baseUrl.`, status);
  }

  async #read(response: Response): Promise<HttpResponse> {
    const { status, headers } = response;
    return { status, headers, bytes: await readBytes(response, this.#settings.maxAnswerBytes) };
  }

  async #toHeaders({ method, headers, isAnonymous, options }: PreparedCall): Promise<Headers> {
    const { token, isSession } = this.#settings;
    if (isAnonymous) return headers;
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    else if (isSession && method !== 'GET') headers.set('x-berth-csrf', await this.#getCsrfToken(options));
    return headers;
  }

  async #getCsrfToken(options: CreateOptions): Promise<string> {
    if (this.#csrfToken === undefined) await this.data({ method: 'GET', path: '/v1/auth/session', options });
    return this.#csrfToken ?? '';
  }

  /** After a logout: the next session has a value of its own. */
  forgetSession(): void {
    this.#csrfToken = undefined;
  }

  readonly #redact = (text: string): string => {
    const [, secret] = this.#settings.token?.split('|') ?? [];
    return secret ? text.replaceAll(secret, '***') : text;
  };
}
