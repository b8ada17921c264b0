import {
  canBeInvalid,
  errorsAnywhere,
  factSchemas,
  listErrorCodes,
  payloadSchemas,
  taskCatalogue,
  type ErrorCode,
  type RouteContract,
} from '@berth/contract';
import { findApiExample } from '@berth/testing';
import { routes, type NamedRoute } from './contract-routes.ts';
import { resources, toFieldTable, toRules, toShape, toTable, toType, type Schema } from './schema-words.ts';

/** A paragraph in lines of at most 120 columns. */
const toLines = (text: string): string[] => text.match(/\S.{0,119}(?=\s|$)/g) ?? [];

const toCodes = (codes: readonly string[]): string => codes.map((code) => `\`${code}\``).join(', ');

const HEAD = `# Reference

Every route, resource and payload, made from the contract. [The API](http-api.md) tells how they work
together, and [operating](operating.md#limits) lists the limits. For machines, \`GET /openapi.json\` of a running
server says the same, and \`/docs/api\` makes that readable.

In the examples for a shell, \`$BERTH\` is the address of the server, \`$TOKEN\` a token, and names like \`$TERMINAL\` are
ids. In those for TypeScript, \`berth\` is a client:

\`\`\`ts
import { Berth } from '@berth/client';

const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
\`\`\`

The answers are those of a real run. Tokens and codes in them are made up, and of a long list the last items are
shown. The client returns what stands in \`data\`; for a page of a list it returns the whole answer.
[Errors](errors.md) explains the codes of errors. What may be the answer to any request is not repeated below:
${toLines(`${toCodes(errorsAnywhere)}.`).join('\n')}

This page is made from \`packages/contract\`, and its examples by a server: \`script/update\`.`;

const isPublic = ({ route }: NamedRoute): boolean => route.tag !== 'Agent protocol';

const toAddress = ({ method, url }: RouteContract): string => `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`;

const toNeed = ({ auth, ability }: RouteContract): string => {
  if (auth === 'none') return 'It needs no token.';
  const token = auth === 'operator' ? "It needs an operator's token" : 'It needs a token';
  return ability ? `${token} with \`${ability}\`.` : `${token}.`;
};

const toInput = (title: string, schema: unknown): string[] =>
  schema ? ['', `${title}:`, '', ...toFieldTable(schema as Schema, { isInput: true })] : [];

/** `accountRoutes.getProfile` → `getProfile` */
const toOperationName = (name: string): string => name.split('.').at(-1) ?? '';

const isOwn = (code: ErrorCode): boolean => !(errorsAnywhere as readonly ErrorCode[]).includes(code);

const listCodes = (route: RouteContract): string =>
  toCodes([...(canBeInvalid(route) ? ['validation'] : []), ...listErrorCodes(route).filter(isOwn)]);

const fence = (language: string, text: string): string[] => ['', `\`\`\`${language}`, text, '```'];

/** JSON in lines of a readable length: what fits into one line is on one line. */
const toJson = (value: unknown, indent = ''): string => {
  const line = JSON.stringify(value, null, 1).replace(/\n */g, ' ');
  if (typeof value !== 'object' || value === null || indent.length + line.length <= 100) return line;
  const inner = `${indent}  `;
  const items = Array.isArray(value)
    ? value.map((item) => inner + toJson(item, inner))
    : Object.entries(value).map(([name, item]) => `${inner}${JSON.stringify(name)}: ${toJson(item, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${items.join(',\n')}\n${indent}${close}`;
};

const toExample = (name: string): string[] => {
  const example = findApiExample(name);
  if (!example) return [];
  const { curl, ts, type, answer } = example;
  const calls = [...fence('sh', curl), ...fence('ts', ts)];
  if (answer === undefined) return [...calls, '', `It answers the bytes, \`${type}\`.`];
  return [...calls, ...(typeof answer === 'string' ? fence('text', answer.trim()) : fence('json', toJson(answer)))];
};

const toSection = ({ name, route }: NamedRoute): string[] => [
  '',
  `### \`${toAddress(route)}\``,
  '',
  ...toLines(`${route.summary}. ${toNeed(route)}${route.isIdempotent ? ' Honours `Idempotency-Key`.' : ''}`),
  ...toInput('Query', route.query),
  ...toInput('Body', route.body),
  ...(route.isRawBody ? ['', 'Body: raw bytes of any media type.'] : []),
  ...(route.maxBodyBytes === undefined ? [] : ['', `The body has up to ${route.maxBodyBytes / 1024} KiB.`]),
  '',
  `Answer: \`${toShape(route.response as unknown as Schema)}\``,
  '',
  ...toLines(`Errors: ${listCodes(route)}.`),
  ...toExample(toOperationName(name)),
];

const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');

const toRoutes = (): string[] => {
  const open = routes.filter(isPublic);
  const tags = [...new Set(open.map(({ route }) => route.tag))];
  const parts = [...tags, 'Payloads of tasks', 'Facts of tasks', 'Resources'];
  const contents = parts.map((part) => `- [${part}](#${toAnchor(part)})`);
  return ['', ...contents, ...toSections(tags, open)];
};

const toSections = (tags: readonly string[], open: readonly NamedRoute[]): string[] =>
  tags.flatMap((tag) => ['', `## ${tag}`, ...open.filter(({ route }) => route.tag === tag).flatMap(toSection)]);

const toFacts = (): string[] =>
  toTable(
    ['Type', 'Fact', 'Kind', 'Rules'],
    Object.values(taskCatalogue).flatMap(({ type, name }) =>
      Object.entries(factSchemas[type].properties as unknown as Record<string, Schema>).map(([fact, schema]) => [
        `${type} ${name}`,
        `\`${fact}\``,
        toType(schema),
        toRules(schema),
      ]),
    ),
  );

const toPayloads = (): string[] =>
  Object.values(taskCatalogue).flatMap(({ type, name, meaning, isRepeatable, runningDeadlineMs }) => {
    const payload = payloadSchemas[type];
    const hasFields = Object.keys(payload.properties).length > 0;
    const repeat = isRepeatable ? 'repeatable' : 'never repeated by itself';
    return [
      '',
      `### ${type} ${name}`,
      '',
      ...toLines(`${meaning}; may run for ${runningDeadlineMs / 60_000} minutes; ${repeat}.`),
      '',
      ...(hasFields ? toFieldTable(payload as unknown as Schema, { isInput: true }) : ['No payload.']),
    ];
  });

const toAgentTable = (): string[] =>
  toTable(
    ['Route', 'What'],
    routes.filter((entry) => !isPublic(entry)).map(({ route }) => [`\`${toAddress(route)}\``, route.summary]),
  );

/** docs/reference.md */
export const toReferencePage = (): string =>
  [
    HEAD,
    ...toRoutes(),
    '',
    '## Payloads of tasks',
    ...toPayloads(),
    '',
    '## Facts of tasks',
    '',
    'What hosts may state in `data` of the steps. Whatever else they say is dropped.',
    '',
    ...toFacts(),
    '',
    '## Resources',
    ...Object.entries(resources).flatMap(([name, schema]) => ['', `### ${name}`, '', ...toFieldTable(schema)]),
    '',
    '## Between agents and the server',
    '',
    'Internal: it changes with both sides. Schemas: `packages/contract/src/agent-protocol.ts`.',
    '',
    ...toAgentTable(),
    '',
  ].join('\n');
