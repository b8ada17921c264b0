/** The pages of docs/http-api: their tables are the contract's, and their examples are requests and responses of it. */
import {
  abilities,
  notificationTypes,
  payloadSchemas,
  stepCodes,
  taskCatalogue,
  taskTransitions,
  TaskStatus,
  terminalTransitions,
  TerminalStatus,
  type TObject,
} from '@berth/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { routes } from './contract-routes.ts';
import { readBlocks, type PageBlock } from './page-blocks.ts';
import { listTrackedFiles, readText } from './repository.ts';

const pages = listTrackedFiles().filter((path) => path.startsWith('docs/http-api/'));
const text = pages.map(readText).join('\n');
const toRows = (page: string): string[] => page.split('\n').filter((line) => line.startsWith('|'));
const findRow = (start: string, page = text): string => toRows(page).find((row) => row.startsWith(start)) ?? '';
const toNumbers = (cell: string | undefined): number[] => (cell?.match(/\d+/g) ?? []).map(Number).sort((a, b) => a - b);

it.each(Object.values(taskCatalogue))('$name has a row with every field of its payload', (definition) => {
  const row = findRow(`| ${definition.type} ${definition.name} |`);
  const { properties, required }: TObject = payloadSchemas[definition.type];
  const documented = row.split('|')[2] ?? '';
  for (const field of Object.keys(properties)) {
    // What 7 shares with 6 is said once.
    const isShared = definition.name === 'SCREENSHOT_LATENCY' && documented.includes('as 6') && field !== 'samples';
    if (!isShared) expect(documented).toContain(`\`${field}\``);
  }
  for (const field of required ?? []) expect(documented).toContain(`\`${field}\` r`);
  expect(row.split('|').at(-2)?.trim()).toBe(definition.isRepeatable ? 'yes' : 'no');
});

it('the moves of a task are those of its state machine', () => {
  const page = readText('docs/http-api/tasks.md');
  for (const [name, status] of Object.entries(TaskStatus)) {
    const next = taskTransitions.filter(([from]) => from === status).map(([, to]) => to);
    expect([name, toNumbers(findRow(`| ${status} | ${name} |`, page).split('|').at(-2))]).toEqual([
      name,
      next.sort((a, b) => a - b),
    ]);
  }
});

it('the moves of a terminal are those of its state machine', () => {
  const page = readText('docs/http-api/terminals.md');
  for (const [name, status] of Object.entries(TerminalStatus)) {
    const cell = findRow(`| ${status} | ${name} |`, page).split('|').at(-2);
    // Out of UNREACHABLE leads whatever the host reports.
    const next = status === TerminalStatus.UNREACHABLE ? [8] : [...terminalTransitions[status]];
    expect([name, toNumbers(cell)]).toEqual([name, next]);
  }
});

it('every step code, ability and notification is explained', () => {
  for (const code of stepCodes)
    expect(
      toRows(text).some((row) => row.includes(`\`${code}\``)),
      code,
    ).toBe(true);
  for (const ability of abilities) expect(findRow(`| \`${ability}\` |`), ability).not.toBe('');
  for (const type of notificationTypes) expect(text).toContain(type);
});

/** A copy of a schema in which an object has no fields but those that it names. */
const toClosed = (schema: unknown): object =>
  JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    const isOpen = typeof value === 'object' && value !== null && 'properties' in value && 'type' in value;
    return isOpen && !('additionalProperties' in value) ? { ...value, additionalProperties: false } : value;
  }) as object;

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
const listFlaws = (schema: unknown, value: unknown): string[] => {
  const validate = ajv.compile(toClosed(schema ?? { type: 'object', maxProperties: 0 }));
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

/** `/v1/my/files/:file_id` → `/v1/my/files/{file_id}` */
const toPath = (url: string): string => url.replaceAll(/:(\w+)/g, '{$1}');

interface Exchange {
  place: string;
  request: string;
  response: PageBlock | undefined;
}

/** Each request of a page, and the response right after it. */
const exchanges: Exchange[] = pages.flatMap((page) =>
  readBlocks(page).flatMap(({ language, line, text: request }, index, blocks) => {
    const next = blocks[index + 1];
    const response = next?.language === 'json' ? next : undefined;
    return language === 'http' ? [{ place: `${page}:${line}`, request, response }] : [];
  }),
);

it('each page has some', () =>
  expect(pages.filter((page) => !exchanges.some(({ place }) => place.startsWith(`${page}:`)))).toEqual([]));

it.each(exchanges)('the request and the response at $place fit the contract', ({ request, response }) => {
  const [head = '', body = ''] = request.split('\n\n');
  const [method, url = ''] = head.split('\n')[0]!.split(' ');
  const [path, query] = url.split('?');
  const route = routes.find((entry) => entry.route.method === method && toPath(entry.route.url) === path)?.route;
  expect(route, `${method} ${path}`).toBeDefined();
  const parameters = Object.keys(route?.query?.properties ?? {});
  expect([...new URLSearchParams(query).keys()].filter((name) => !parameters.includes(name))).toEqual([]);
  const sent: unknown = body.trim() === '' ? {} : JSON.parse(body);
  const received = response && (JSON.parse(response.text) as { errors?: object });
  // A request that breaks a rule is shown with the response that says so.
  const isRefused = received?.errors !== undefined;
  if (!route?.isRawBody && body.trim() !== '') expect(listFlaws(route?.body, sent).length > 0).toBe(isRefused);
  if (received && !isRefused) expect(listFlaws(route?.response, received)).toEqual([]);
});
