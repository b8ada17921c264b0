import { LiveEvent, publicOperations } from '@berth/contract';
import { taskSchemas, toOperation } from './operation.ts';
import { resourceSchemas, toPlainSchema, type Json } from './plain-schema.ts';
import { listSharedParts } from './responses.ts';
import { introduction } from './texts.ts';

/** Built before the components they share are collected. */
const toPaths = (): Json => {
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries(publicOperations)) {
    const path = (paths[route.url.replace(/:(\w+)/g, '{$1}')] ??= {});
    path[route.method.toLowerCase()] = toOperation(name, route);
  }
  return paths;
};

const paths = toPaths();

const Error = {
  type: 'object',
  required: ['ok', 'msg', 'data', 'code', 'hint'],
  properties: {
    ok: { const: false },
    msg: { type: 'string' },
    data: { type: 'null' },
    code: { type: 'string', description: 'Stable code of the error, as in `X-Error-Code`' },
    hint: { type: 'string', description: 'What to do next, for people' },
  },
};

const ValidationError = {
  type: 'object',
  required: ['message', 'errors', 'code', 'hint'],
  properties: {
    message: { type: 'string', description: 'The first text, and how many more there are' },
    errors: {
      type: 'object',
      description: 'Field name → what is wrong with it',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    code: { const: 'validation' },
    hint: { type: 'string', description: 'What to do next, for people' },
  },
  examples: [
    {
      message: 'The name field is required. (and 1 more error)',
      errors: { name: ['The name field is required.'], 'abilities.1': ['The selected abilities.1 is invalid.'] },
      code: 'validation',
      hint: 'Choose read, write, delete or *.',
    },
  ],
};

/** The OpenAPI 3.1 document of the contract: its schemas are those that validate requests and serialise answers. */
export const createDocument = (version: string): Json => ({
  openapi: '3.1.0',
  info: {
    title: 'Berth',
    version,
    summary: 'Accounts and hosted trading terminals',
    description: introduction,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/' }],
  tags: [...new Set(Object.values(publicOperations).map((route) => route.tag))].map((name) => ({ name })),
  paths,
  components: {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'A token `<id>|<secret>`' },
    },
    schemas: { ...resourceSchemas, ...taskSchemas, LiveEvent: toPlainSchema(LiveEvent), Error, ValidationError },
    ...listSharedParts(),
  },
});
