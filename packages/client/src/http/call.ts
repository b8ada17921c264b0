/** What is asked for, made ready to be sent. Whatever is wrong with it is found here, before anything is sent. */
import { BerthError, InvalidArgumentError } from '../errors.ts';
import type { CreateOptions } from '../options.ts';
import type { Bytes } from './bytes.ts';

/** What is asked for. */
export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Made by `toPath`. */
  path: string;
  query?: object | null | undefined;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is. */
  content?: Bytes | Blob | string;
  headers?: Record<string, string>;
  /**
   * The effect of a repeated POST. `once`: something else, so that it is not repeated; `keyed`: the same, because the
   * server knows its key again; `same`: the same by itself.
   */
  post?: 'once' | 'keyed' | 'same';
  /** It needs no account, so nothing of one goes along. */
  isAnonymous?: boolean;
  options?: CreateOptions | null | undefined;
}

/**
 * A call, or what makes it. Methods throw nothing at once: what is wrong with their arguments is found when the call is made,
 * and comes as a rejection.
 */
export type CallSource = Call | (() => Call);

/** A call that can be sent any number of times. */
export interface PreparedCall {
  method: Call['method'];
  /** For errors: `GET /v1/my/projects`. */
  name: string;
  /** Path and query. */
  target: string;
  headers: Headers;
  body: Bytes | Blob | string | undefined;
  /** Repeating it has the same effect. */
  isRepeatable: boolean;
  isAnonymous: boolean;
  options: CreateOptions;
}

/** An id in a path stays one part of it, whatever it is: `..` would lead to another route. */
const toSegment = (id: string | number | null | undefined): string => {
  try {
    const text = encodeURIComponent(id ?? '');
    if (!/^\.{0,2}$/.test(text)) return text;
  } catch {
    // What has no text, or half a character, is no id either.
  }
  throw new InvalidArgumentError(`An id is missing, or is none: "${String(id)}"`);
};

/** Makes a path with ids in it: toPath`/v1/my/files/${id}`. */
export const toPath = (parts: TemplateStringsArray, ...ids: (string | number)[]): string =>
  String.raw({ raw: parts }, ...ids.map(toSegment));

/** @throws InvalidArgumentError for what cannot be an id */
export const assertIds = (...ids: string[]): void => void ids.forEach(toSegment);

const toQuery = (query: object): string => {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text && `?${text}`;
};

const assertSpan = (name: string, value: unknown): void => {
  if (value === undefined || (typeof value === 'number' && value >= 0)) return;
  throw new InvalidArgumentError(`${name} is a number from 0 on.`);
};

/** @throws InvalidArgumentError */
export const assertOptions = (options: CreateOptions & { waitMs?: number | undefined }): void => {
  const { signal, timeoutMs, maxRetries, waitMs } = options;
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    throw new InvalidArgumentError('signal is no AbortSignal.');
  }
  assertSpan('timeoutMs', timeoutMs);
  assertSpan('maxRetries', maxRetries);
  assertSpan('waitMs', waitMs);
};

const toHeaders = ({ content, body, headers, post }: Call, options: CreateOptions): Headers => {
  const all = new Headers({ accept: 'application/json', ...headers });
  if (content !== undefined) all.set('content-type', 'application/octet-stream');
  else if (body !== undefined) all.set('content-type', 'application/json');
  if (post === 'keyed') all.set('idempotency-key', options.idempotencyKey ?? crypto.randomUUID());
  return all;
};

/** @throws InvalidArgumentError */
export const prepare = (source: CallSource): PreparedCall => {
  try {
    const call = typeof source === 'function' ? source() : source;
    const { method, path, query, body, content, post = 'once', isAnonymous = false } = call;
    const options = call.options ?? {};
    assertOptions(options);
    return {
      method,
      name: `${method} ${path}`,
      target: path + toQuery(query ?? {}),
      headers: toHeaders(call, options),
      body: content ?? (body === undefined ? undefined : JSON.stringify(body)),
      isRepeatable: method !== 'POST' || post !== 'once',
      isAnonymous,
      options,
    };
  } catch (error) {
    if (error instanceof BerthError) throw error;
    const { message } = error as Error;
    throw new InvalidArgumentError(`This cannot be sent: ${message}`, { cause: error });
  }
};
