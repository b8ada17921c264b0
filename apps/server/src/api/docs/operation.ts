import {
  pathResources,
  payloadSchemas,
  taskCatalogue,
  toMaxBodyBytes,
  type PathParameter,
  type RouteContract,
  type TaskType,
  type TObject,
} from '@berth/contract';
import { findExample } from './examples.ts';
import { toInputSchema, toPlainSchema, toReference, type Json } from './plain-schema.ts';
import { bytes, toErrorResponses, toShown, toSuccesses } from './responses.ts';
import { createTaskText, downloadText, watchEventsText } from './texts.ts';

const toPayloadName = (type: TaskType): string => `Payload.${taskCatalogue[type].name}`;
export const toNewTaskName = (type: TaskType): string => `NewTask.${taskCatalogue[type].name}`;

const toPayload = (type: TaskType): Json => ({
  ...toInputSchema(payloadSchemas[type]),
  // A misspelt key is an error, not ignored.
  additionalProperties: false,
  description: `Payload of type ${type}: ${taskCatalogue[type].meaning}`,
});

const toNewTask = (type: TaskType): Json => ({
  type: 'object',
  required: ['type', ...(payloadSchemas[type].required?.length ? ['payload'] : [])],
  properties: {
    type: { type: 'integer', const: type, description: taskCatalogue[type].name },
    payload: toReference(toPayloadName(type)),
  },
});

/** Both of each type, by name. */
export const taskSchemas: Json = Object.fromEntries(
  Object.values(taskCatalogue).flatMap(({ type }) => [
    [toPayloadName(type), toPayload(type)],
    [toNewTaskName(type), toNewTask(type)],
  ]),
);

/** What an operation says beyond its schemas, by the route's name in the contract. */
const notes: Record<string, string> = {
  createTask: createTaskText,
  createFile: 'The type is found from the content, and the name is only a label.',
  getFileContent: downloadText,
  watchEvents: watchEventsText,
  readAllNotifications: 'At most the newest 10,000 of them are returned; every one is marked.',
};

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'For 24 hours, the same request with the same key gets the first answer once more, and nothing is created. A different request with that key is 422. After a refusal (`ok` false) or an error the key is free again',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
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

/** Adds the fields that depend on each other: the task's type and that type's payload. */
const toTaskBody = (body: TObject, types: readonly TaskType[]): Json => {
  const { type: _, payload: __, ...properties } = body.properties;
  const required = (body.required ?? []).filter((name) => name !== 'type' && name !== 'payload');
  const others = { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
  return { allOf: [toInputSchema(others), { oneOf: types.map((type) => toReference(toNewTaskName(type))) }] };
};

const KIB = 1024;

const toSizeText = (sizeBytes: number): string =>
  sizeBytes < KIB * KIB ? `${sizeBytes / KIB} KiB` : `${sizeBytes / (KIB * KIB)} MiB`;

const toRequestBody = (name: string, route: RouteContract): Json => {
  const { body, isRawBody, taskTypes } = route;
  const description = `Up to ${toSizeText(toMaxBodyBytes(route))}.`;
  if (isRawBody) {
    return { requestBody: { description, required: true, content: { 'application/octet-stream': bytes } } };
  }
  if (!body) return {};
  const isRequired = (body.required?.length ?? 0) > 0;
  const schema = taskTypes ? toTaskBody(body, taskTypes) : toInputSchema(body);
  const content = { schema, ...toShown(findExample(name)?.body) };
  return { requestBody: { description, required: isRequired, content: { 'application/json': content } } };
};

const toDescription = (name: string, route: RouteContract): string => {
  const needs = route.ability ? [`Needs the ability \`${route.ability}\`.`] : [];
  return [...needs, notes[name] ?? ''].filter((text) => text !== '').join('\n\n');
};

/** How to call it, for pages that show it (several of them read `x-codeSamples`). */
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
    responses: { ...toSuccesses(name, route), ...toErrorResponses(route) },
  };
};
