import { Validator } from '@seriousme/openapi-schema-validator';
import {
  agentRoutes,
  canBeInvalid,
  publicOperations,
  taskRoutes,
  terminalRoutes,
  type RouteContract,
} from '@berth/contract';
import { useTestServer } from '@berth/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';

const server = useTestServer();

let document: any;
beforeAll(async () => {
  document = (await server.request('GET', '/openapi.json')).body;
});

const toPath = (url: string) => url.replace(/:(\w+)/g, '{$1}');
const toOperation = ({ url, method }: RouteContract) => document.paths[toPath(url)][method.toLowerCase()];

test('the document is valid OpenAPI 3.1', async () => {
  expect(document.openapi).toBe('3.1.0');
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test('every reference leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
  expect(references.length).toBeGreaterThan(10);
  for (const [reference, group = '', name = ''] of references) {
    expect(document.components[group]?.[name], reference).toBeDefined();
  }
});

test('every schema, header and answer is referred to: the payload of each type of task with its type', () => {
  const text = JSON.stringify(document);
  for (const group of ['schemas', 'headers', 'responses']) {
    const names = Object.keys(document.components[group] as object);
    const unused = names.filter((name) => !text.includes(`"#/components/${group}/${name}"`));
    // Resources that answers have with additions only.
    expect(unused.filter((name) => !['Host', 'Region', 'Terminal'].includes(name))).toEqual([]);
  }
  const toTypes = (route: RouteContract) => {
    const [, { oneOf }] = toOperation(route).requestBody.content['application/json'].schema.allOf;
    return (oneOf as { $ref: string }[]).map(({ $ref }) => $ref.split('NewTask.')[1]);
  };
  expect(toTypes(taskRoutes.createTask)).toHaveLength(19);
  expect(toTypes(taskRoutes.createTasks)).toHaveLength(17);
  expect(document.components.schemas['NewTask.EA_INSTALL']).toEqual({
    type: 'object',
    required: ['type', 'payload'],
    properties: {
      type: { type: 'integer', const: 2, description: 'EA_INSTALL' },
      payload: { $ref: '#/components/schemas/Payload.EA_INSTALL' },
    },
  });
});

test.each(Object.entries(publicOperations))('%s is described, with its ability and its errors', (name, route) => {
  const operation = toOperation(route);
  expect(operation.operationId).toBe(name);
  expect(operation.security).toEqual(route.auth === 'none' ? [] : [{ bearer: [] }]);
  expect(operation['x-ability']).toBe(route.ability);
  if (route.ability) expect(operation.description).toContain(`Needs the ability \`${route.ability}\``);
  const statuses = Object.keys(operation.responses as object);
  expect(statuses).toContain('200');
  expect(statuses).toContain('429');
  expect(statuses.includes('401')).toBe(route.auth !== 'none');
  expect(statuses.includes('404')).toBe(route.url.includes(':'));
  expect(statuses.includes('422')).toBe(canBeInvalid(route));
  expect(statuses.includes('304')).toBe(route.download !== undefined);
  expect(statuses).toEqual(expect.arrayContaining(['400', '408', '431', '500', '503', '507']));
});

describe('the examples', () => {
  /** What the document says about the bodies of a route, and the example of each. */
  const listBodies = (route: RouteContract): { schema?: object; example?: unknown }[] => {
    const { requestBody, responses } = toOperation(route);
    return [requestBody?.content, responses[200].content].flatMap((content) => content?.['application/json'] ?? []);
  };
  let ajv: Ajv2020;
  beforeAll(() => {
    ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'document', ...document });
  });

  test.each(Object.entries(publicOperations))('%s has them: request, answer, curl and TypeScript', (_name, route) => {
    const samples: { label: string; source: string }[] = toOperation(route)['x-codeSamples'];
    expect(samples.map(({ label }) => label)).toEqual(['curl', '@berth/client']);
    expect(samples[0]?.source).toMatch(/^curl -s/);
    expect(samples[1]?.source).toMatch(/berth\./);
    for (const { schema, example } of listBodies(route)) {
      const inDocument = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
      const isValid = ajv.validate(inDocument, example);
      expect([isValid, ajv.errors]).toEqual([true, null]);
    }
  });

  test('one that breaks its schema is seen', () => {
    const [body] = listBodies(publicOperations.createTerminal!);
    expect(ajv.validate(body?.schema ?? {}, { server_name: 5 })).toBe(false);
  });

  test('the examples leave the document small enough to be read at once', () => {
    expect(JSON.stringify(document).length).toBeLessThan(850_000);
  });
});

test('the protocol of agents is internal', () => {
  for (const { url } of Object.values(agentRoutes)) expect(document.paths).not.toHaveProperty([toPath(url)]);
});

test("the contract's own keywords have become JSON Schema", () => {
  const text = JSON.stringify(document);
  expect(text).not.toMatch(
    /"(singleLine|notEmpty|isoDate|isoDateTime|taskStatusList|taskTypeList|terminalStatusList|webOrigin|~kind|~optional)"/,
  );
  const { parameters } = toOperation(terminalRoutes.listTerminals);
  const dateFrom = parameters.find(({ name }: { name: string }) => name === 'date_from');
  expect(dateFrom.schema).toEqual({ type: 'string', format: 'date' });
});

test('task types, statuses and payloads have their tables', () => {
  const { description } = toOperation(taskRoutes.createTask);
  expect(description).toContain('| 2 | EA_INSTALL |');
  expect(document.components.schemas['Payload.EA_INSTALL'].required).toEqual(['name', 'file_id', 'symbol', 'period']);
  expect(document.info.description).toContain('| 7 | TERMINATED |');
  expect(document.info.description).toContain('| 10 | UNREACHABLE |');
});

test('the page to try the API loads nothing but what this server has', async () => {
  for (const path of ['/docs/api', '/docs/api/']) {
    const page = await server.request('GET', path);
    expect([path, page.status]).toEqual([path, 200]);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/);
    const html = page.bytes.toString();
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) {
      const { pathname } = new URL(file, server.url + path);
      expect([pathname, (await server.request('GET', pathname)).status]).toEqual([pathname, 200]);
    }
  }
});

test('the page shows the samples of each operation in its description, and the rest as the document has it', async () => {
  const shown = (await server.request('GET', '/docs/api/json')).body;
  for (const [url, operations] of Object.entries<Record<string, any>>(document.paths)) {
    for (const [method, { description, ...operation }] of Object.entries(operations)) {
      const { description: text, ...rest } = shown.paths[url][method];
      expect(rest).toEqual(operation);
      expect(text.startsWith(description ?? '**With curl**')).toBe(true);
      for (const { lang, source } of operation['x-codeSamples']) {
        expect(text).toContain(`\`\`\`${lang.toLowerCase()}\n${source}\n\`\`\``);
      }
    }
  }
  expect({ ...shown, paths: document.paths }).toEqual(document);
});

test('the loosened policy is that of the page alone', async () => {
  const { headers } = await server.request('GET', '/healthz');
  expect(headers.get('content-security-policy')).not.toBeNull();
  expect(headers.get('content-security-policy')).not.toContain("img-src 'self' data:; font-src 'self'; connect-src");
});
