import { errorTable, pathResources, type ErrorCode, type PathParameter, type RouteContract } from '@berth/contract';
import { findExample } from './examples.ts';
import { toPlainSchema, type Json } from './plain-schema.ts';
import { createTaskText, watchEventsText } from './texts.ts';

/** What an operation says beyond its schemas, by the route's name in the contract. */
const notes: Record<string, { text?: string; errors?: ErrorCode[] }> = {
  register: { errors: ['registration_closed'] },
  login: { errors: ['account_suspended', 'not_from_our_page'] },
  useSignInLink: { errors: ['not_from_our_page'] },
  createTask: { text: createTaskText },
  createTasks: { errors: ['nothing_matched'] },
  createBulkRun: { errors: ['nothing_matched'] },
  deleteFile: { errors: ['file_in_use'] },
  createFile: {
    errors: ['storage_quota'],
    text: 'The type is found from the content, and the name is only a label.',
  },
  watchEvents: { text: watchEventsText },
  readAllNotifications: { text: 'At most the newest 10,000 of them are returned; every one is marked.' },
};

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'For 24 hours, the same request with the same key gets the first answer once more, and nothing is created. A different request with that key is 422. After a refusal (`ok` false) or an error the key is free again',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

/** The errors that an operation can answer, besides 422. */
export const listErrors = (name: string, route: RouteContract): ErrorCode[] => {
  const isJson = route.body !== undefined;
  return [
    ...(isJson ? (['malformed_json', 'body_not_object'] as const) : []),
    ...(route.auth === 'none' ? [] : (['unauthenticated', 'account_suspended'] as const)),
    ...(route.ability ? (['missing_ability'] as const) : []),
    ...(/user|operator/.test(route.auth) && route.method !== 'GET' ? (['not_from_our_page'] as const) : []),
    ...(route.auth === 'operator' ? (['operator_only'] as const) : []),
    ...(route.url.includes('/:') ? (['not_found'] as const) : []),
    ...(isJson || route.isRawBody ? (['body_too_large'] as const) : []),
    ...(isJson ? (['unsupported_media_type'] as const) : []),
    ...(route.isIdempotent ? (['idempotency_key_in_use'] as const) : []),
    ...(notes[name]?.errors ?? []),
    ...(['too_many_requests', 'internal', 'unavailable'] as const),
    ...(route.method === 'GET' ? [] : (['disk_full'] as const)),
  ];
};

const errorHeaders = (codes: readonly ErrorCode[]): Json => ({
  'X-Error-Code': { description: 'Stable code of the error', schema: { type: 'string', enum: codes } },
  'X-Error-Hint': { description: 'What to do next, for people', schema: { type: 'string' } },
  ...(codes.some((code) => errorTable[code].status === 429 || errorTable[code].status === 503)
    ? { 'Retry-After': { description: 'Seconds', schema: { type: 'integer' } } }
    : {}),
});

const toErrorResponses = (name: string, route: RouteContract): Json => {
  const errors = listErrors(name, route);
  const responses: Json = {};
  for (const status of new Set(errors.map((code) => errorTable[code].status))) {
    const codes = errors.filter((code) => errorTable[code].status === status);
    responses[status] = {
      description: codes.map((code) => `\`${code}\`: ${errorTable[code].cause}`).join('\n\n'),
      headers: errorHeaders(codes),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    };
  }
  if (route.body ?? route.query) responses[422] = { $ref: '#/components/responses/Unprocessable' };
  return responses;
};

const toPathParameters = (route: RouteContract): Json[] =>
  [...route.url.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: `Identifier of the ${pathResources[name as PathParameter].toLowerCase()}`,
    schema: name === 'token_id' || name === 'session_id' ? { type: 'integer' } : { type: 'string', format: 'uuid' },
  }));

const toQueryParameters = ({ query }: RouteContract): Json[] => {
  if (!query) return [];
  return Object.entries(query.properties).map(([name, property]) => {
    const { description, ...schema } = toPlainSchema(property);
    const required = query.required?.includes(name) ?? false;
    return { name, in: 'query', required, ...(description === undefined ? {} : { description }), schema };
  });
};

const toHeaderParameters = ({ isIdempotent }: RouteContract): Json[] => (isIdempotent ? [idempotencyKey] : []);

const toShown = (example: unknown): Json => (example === undefined ? {} : { example });

const toRequestBody = (name: string, { body, isRawBody }: RouteContract): Json => {
  if (isRawBody) return { requestBody: { required: true, content: { 'application/octet-stream': {} } } };
  if (!body) return {};
  const isRequired = (body.required?.length ?? 0) > 0;
  const content = { schema: toPlainSchema(body), ...toShown(findExample(name)?.body) };
  return { requestBody: { required: isRequired, content: { 'application/json': content } } };
};

const toSuccess = (name: string, { response }: RouteContract): Json => {
  const schema = toPlainSchema(response);
  const shown = toShown(findExample(name)?.answer);
  switch (schema.format) {
    case 'binary':
      return { description: 'The content, with its own media type', content: { 'application/octet-stream': {} } };
    case 'event-stream':
      return { description: 'Events, until one side ends', content: { 'text/event-stream': shown } };
    default:
      return { description: 'Success', content: { 'application/json': { schema, ...shown } } };
  }
};

const toDescription = (name: string, route: RouteContract): string => {
  const needs = route.ability ? [`Needs the ability \`${route.ability}\`.`] : [];
  return [...needs, notes[name]?.text ?? ''].filter((text) => text !== '').join('\n\n');
};

/** How it is called, for pages that show it (`x-codeSamples` is what several of them read). */
const toSamples = (name: string): Json => {
  const example = findExample(name);
  if (!example) return {};
  const { curl, ts } = example;
  return {
    'x-codeSamples': [
      { lang: 'Shell', label: 'curl', source: curl },
      { lang: 'TypeScript', label: '@berth/client', source: ts },
    ],
  };
};

/** A route of the contract as an OpenAPI operation. `name` is its key in the contract. */
export const toOperation = (name: string, route: RouteContract): Json => {
  const parameters = [...toPathParameters(route), ...toQueryParameters(route), ...toHeaderParameters(route)];
  const description = toDescription(name, route);
  return {
    operationId: name,
    summary: route.summary,
    ...(description === '' ? {} : { description }),
    tags: [route.tag],
    security: route.auth === 'none' ? [] : [{ bearer: [] }],
    ...(route.ability ? { 'x-ability': route.ability } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...toRequestBody(name, route),
    ...toSamples(name),
    responses: { 200: toSuccess(name, route), ...toErrorResponses(name, route) },
  };
};
