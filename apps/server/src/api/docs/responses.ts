/** What an operation answers: statuses, headers, media types and bodies, derived from its route. */
import { canBeInvalid, errorTable, listErrorCodes, type ErrorCode, type RouteContract } from '@berth/contract';
import { findExample } from './examples.ts';
import { toPlainSchema, toReference, type Json } from './plain-schema.ts';

/** Headers of answers, by name. */
const headers = {
  'X-Request-Id': { required: true, description: 'Quote it when you report something', schema: { type: 'string' } },
  'X-RateLimit-Limit': {
    description: 'Requests per minute of this token; on every answer to a token',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': { description: 'How many of them are left', schema: { type: 'integer' } },
  'X-Error-Hint': { description: 'What to do next, for people', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } },
  'WWW-Authenticate': { schema: { type: 'string', const: 'Bearer' } },
  ETag: { required: true, description: 'Changes when the bytes do', schema: { type: 'string' } },
  'Accept-Ranges': { required: true, schema: { type: 'string', const: 'bytes' } },
  'Content-Range': { required: true, description: '`bytes 0-99/1234`', schema: { type: 'string' } },
  'Content-Disposition': { description: 'With the name of the file', schema: { type: 'string' } },
} as const;
type HeaderName = keyof typeof headers;

const pick = (...names: HeaderName[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const errorCode = (codes: readonly string[]): Json => ({
  description: 'Stable code of the error',
  schema: { type: 'string', enum: codes },
});

const WITH_PAUSE = [409, 413, 429, 503, 507];

const toErrorResponse = (status: number, codes: readonly ErrorCode[]): Json => ({
  description: codes.map((code) => `\`${code}\`: ${errorTable[code].cause}`).join('\n\n'),
  headers: {
    'X-Error-Code': { required: true, ...errorCode(codes) },
    ...pick('X-Request-Id', 'X-Error-Hint', 'X-RateLimit-Limit', 'X-RateLimit-Remaining'),
    ...(WITH_PAUSE.includes(status) ? pick('Retry-After') : {}),
    ...(status === 401 ? pick('WWW-Authenticate') : {}),
    ...(status === 416 ? pick('Content-Range') : {}),
  },
  content: { 'application/json': { schema: toReference('Error') } },
});

const Unprocessable: Json = {
  description: 'The input breaks a rule; nothing was changed',
  headers: {
    'X-Error-Code': { required: true, ...errorCode(['validation']) },
    ...pick('X-Request-Id', 'X-Error-Hint', 'X-RateLimit-Limit', 'X-RateLimit-Remaining'),
  },
  content: { 'application/json': { schema: toReference('ValidationError') } },
};

/** Many operations share the same errors: each distinct answer is described once, by its status and codes. */
const shared: Json = { Unprocessable };

/** Every error answer of an operation, by status. */
export const toErrorResponses = (route: RouteContract): Json => {
  const all = [...new Set(listErrorCodes(route))];
  const responses: Json = {};
  for (const status of new Set(all.map((code) => errorTable[code].status))) {
    const codes = all.filter((code) => errorTable[code].status === status).sort();
    const name = [status, ...codes].join('.');
    shared[name] ??= toErrorResponse(status, codes);
    responses[status] = { $ref: `#/components/responses/${name}` };
  }
  if (canBeInvalid(route)) responses[422] = { $ref: '#/components/responses/Unprocessable' };
  return responses;
};

/** The components that the operations refer to. Call it once all operations are built. */
export const listSharedParts = (): Json => ({ headers, responses: shared });

export const bytes: Json = { schema: { type: 'string', format: 'binary' } };

export const toShown = (example: unknown): Json => (example === undefined ? {} : { example });

const usual = pick('X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining');

const toDownloads = ({ mediaTypes, hasRanges = false }: NonNullable<RouteContract['download']>): Json => {
  const content = Object.fromEntries(mediaTypes.map((type) => [type, bytes]));
  const described = { ...usual, ...pick('ETag', 'Content-Disposition'), ...(hasRanges ? pick('Accept-Ranges') : {}) };
  const part = { description: 'The part', headers: { ...described, ...pick('Content-Range') }, content };
  return {
    200: { description: 'The content, with its own media type', headers: described, content },
    ...(hasRanges ? { 206: part } : {}),
    304: { description: 'It is still what the `If-None-Match` says', headers: { ...usual, ...pick('ETag') } },
  };
};

const events: Json = {
  type: 'string',
  description: 'Server-sent events: the name in `event`, an object in `data`',
  contentMediaType: 'text/event-stream',
  contentSchema: toReference('LiveEvent'),
};

/** Every success answer of an operation, by status. */
export const toSuccesses = (name: string, { response, download, exports = [], auth }: RouteContract): Json => {
  if (download) return toDownloads(download);
  const shown = toShown(findExample(name)?.answer);
  const schema = toPlainSchema(response);
  const described = auth === 'none' ? pick('X-Request-Id') : usual;
  if (schema.format === 'event-stream') {
    const content = { 'text/event-stream': { schema: events, ...shown } };
    return { 200: { description: 'Events, until one side ends', headers: described, content } };
  }
  const refused = { 'X-Error-Code': { description: 'Of some refusals (`ok` false)', schema: { type: 'string' } } };
  const description = 'oneOf' in schema ? 'Success, or (`ok` false) a refusal' : 'Success';
  const headersOf = 'oneOf' in schema ? { ...described, ...refused } : described;
  const files = Object.fromEntries(exports.map((type) => [type, bytes]));
  return { 200: { description, headers: headersOf, content: { 'application/json': { schema, ...shown }, ...files } } };
};
