/** What came back, and whether it is Berth's: only then it counts. */
import { RefusedError, toApiError, UnexpectedAnswerError, type ResponseFacts, type BerthError } from '../errors.ts';
import type { Bytes } from './bytes.ts';

/** A complete response. */
export interface HttpResponse {
  status: number;
  headers: Headers;
  bytes: Bytes;
}

export type Json = Record<string, unknown>;
/** Takes secrets out of a text that goes into an error. */
type Redact = (text: string) => string;

const MAX_TEXT = 1000;

/**
 * Reads a body to its end, or gives it up: a response that never ends must fill no memory.
 * @throws UnexpectedAnswerError beyond `maxBytes`
 */
export const readBytes = async (response: Response, maxBytes: number): Promise<Bytes> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  for (;;) {
    const value = (await reader?.read())?.value;
    if (!value) break;
    chunks.push(value);
    size += value.length;
    if (size > maxBytes) {
      void reader?.cancel().catch(() => undefined);
      throw new UnexpectedAnswerError(
        `The response is longer than ${maxBytes} bytes; it was not read further.`,
        response.status,
      );
    }
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
};

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What `data` of a response has to be. */
export const shapes = {
  object: isObject,
  list: Array.isArray,
  page: (data: unknown, body: Json): boolean => Array.isArray(data) && isObject(body.pagination),
  text: (data: unknown): boolean => typeof data === 'string',
  nothing: (data: unknown): boolean => data === null,
  anything: (data: unknown, body: Json): boolean => data !== undefined && body.ok !== false,
} as const;
export type Shape = keyof typeof shapes;

/** Types that may be called by their name in an error: a stranger could write anything into the header. */
const plainTypes = ['application/json', 'text/html', 'text/plain'];

/** What came instead of a response of Berth. Nothing of its content goes into the text: it is a stranger's. */
export const toUnexpected = (
  { status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
  what: string,
): UnexpectedAnswerError => {
  const type = headers.get('content-type') ?? '';
  const kind = plainTypes.find((plain) => type.startsWith(plain)) ?? 'content of another type';
  return new UnexpectedAnswerError(
    `${what}: the response is not Berth's (status ${status}, ${kind}). Check the address and what stands in between.`,
    status,
  );
};

const parse = ({ headers, bytes }: HttpResponse, redact: Redact): Json | undefined => {
  if (!headers.get('content-type')?.startsWith('application/json')) return undefined;
  try {
    const body: unknown = JSON.parse(redact(new TextDecoder().decode(bytes)));
    return isObject(body) ? body : undefined;
  } catch {
    return undefined;
  }
};

/** Milliseconds that `Retry-After` asks for: seconds, or a date. */
export const toRetryAfterMs = (headers: Headers): number | undefined => {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
};

const isErrors = (value: unknown): value is ResponseFacts['errors'] =>
  isObject(value) &&
  Object.values(value).every((texts) => Array.isArray(texts) && texts.every((text) => typeof text === 'string'));

/** The error of a response that is no success. */
export const toError = (response: HttpResponse, what: string, redact: Redact): BerthError => {
  const { status, headers } = response;
  const body = parse(response, redact) ?? {};
  const text = body.msg ?? body.message;
  const code = headers.get('x-error-code') ?? undefined;
  if (typeof text !== 'string' || (code === undefined && status !== 200)) return toUnexpected(response, what);
  const facts = {
    status,
    code,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: toRetryAfterMs(headers),
    hint: redact(headers.get('x-error-hint') ?? '').slice(0, MAX_TEXT) || undefined,
    errors: isErrors(body.errors) ? body.errors : {},
  };
  const message = text.slice(0, MAX_TEXT);
  return status === 200 ? new RefusedError(message, facts) : toApiError(message, facts);
};

/**
 * The body of a success.
 * @throws ApiError, RefusedError, UnexpectedAnswerError
 */
export const toBody = (response: HttpResponse, shape: Shape, what: string, redact: Redact): Json => {
  if (response.status !== 200) throw toError(response, what, redact);
  const body = parse(response, (text) => text);
  if (body && shapes[shape](body.data, body)) return body;
  throw body?.ok === false ? toError(response, what, redact) : toUnexpected(response, what);
};
