/** Input made from schemas: right, nearly right, and made to hurt. */
import type { TSchema } from '@berth/contract';
import fc, { type Arbitrary } from 'fast-check';

/** A schema seen as the JSON that it is. */
type Schema = TSchema & Record<string, unknown>;

/** Stand in a generated value for what JSON.stringify cannot write; `toText` puts the real thing in. */
const MARKS: Record<string, () => string> = {
  '@deep@': () => '['.repeat(10_000) + ']'.repeat(10_000),
  '@deep-object@': () => '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000),
  '@huge@': () => '1e400',
  '@minus-huge@': () => '-1e400',
  '@long-number@': () => '9'.repeat(400),
  '@megabyte@': () => `"${'x'.repeat(900_000)}"`,
};

/** JSON of a generated value. */
export const toText = (value: unknown): string =>
  JSON.stringify(value).replace(/"(@[a-z-]+@)"/g, (whole, mark: string) => MARKS[mark]?.() ?? whole);

const hostileTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  '\u001b[2J',
  'a\r\nb',
  '\n',
  '\u2028',
  '\u202e',
  '\ufeff',
  '😀'.repeat(300),
  '../../../../etc/passwd',
  '..\\..\\x',
  '%00',
  '%',
  "'; drop table users; --",
  '${jndi:ldap://x}',
  '{{7*7}}',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'NaN',
  '٣',
  '1e3',
  '0x10',
  '+1',
  '01',
  '-0',
  '9'.repeat(40),
  'x'.repeat(70_000),
  '00000000-0000-0000-0000-000000000000',
  'urn:uuid:00000000-0000-4000-8000-000000000000',
  '9999-12-31T23:59:59-23:59',
  '0000-01-01',
  '2023-02-30',
  '+010000-01-01T00:00:00Z',
];

const hostileValues: unknown[] = [
  null,
  true,
  0,
  -0,
  -1,
  0.5,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  -(2 ** 63),
  1e308,
  5e-324,
  [],
  [[]],
  [null],
  ['a', 1, {}],
  {},
  { length: 3 },
  { toString: 1, toJSON: 2, constructor: { name: 'x' } },
  ...Object.keys(MARKS),
];

export const hostileText: Arbitrary<string> = fc.constantFrom(...hostileTexts);
export const hostileValue: Arbitrary<unknown> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...hostileValues) },
  { weight: 2, arbitrary: hostileText },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
);

const day = fc.constantFrom('2026-01-01', '2024-02-29', '0001-01-01', '9999-12-31');

const rightText = (schema: Schema): Arbitrary<string> => {
  if (schema.format === 'uuid') return fc.uuid();
  if (schema.format === 'email') return fc.nat().map((n) => `nobody.${n}@example.com`);
  if (schema.isoDate) return day;
  if (schema.isoDateTime) return day.map((date) => `${date}T12:00:00+02:00`);
  if (schema.taskStatusList || schema.taskTypeList) return fc.constantFrom('0', '1,2', '3, 7');
  if (schema.terminalStatusList) return fc.constantFrom('0', '1,2', '3, 10', 'active, failed');
  if (schema.uuidList) return fc.array(fc.uuid(), { minLength: 1, maxLength: 3 }).map((ids) => ids.join());
  if (schema.webOrigin) return fc.constantFrom('https://a.example', 'http://127.0.0.1:8080');
  if (schema.symbolName || schema.expertName) return fc.constantFrom('EURUSD.£', 'New [EA] Sniper', '平均');
  if (typeof schema.pattern === 'string') {
    const pattern = new RegExp(schema.pattern, 'u');
    // No texts are made for a pattern that looks ahead, as that of amounts does.
    const amounts = schema.pattern.includes('(?') ? ['10000.00', '0.01', '7'] : [];
    const texts = ['USD', 'EURUSD', 'host:443', 'A-1', '0f'.repeat(32), ...amounts];
    const known = texts.filter((text) => pattern.test(text));
    return known.length > 0 ? fc.constantFrom(...known) : fc.stringMatching(pattern);
  }
  const { minLength = 0, maxLength = 40 } = schema as { minLength?: number; maxLength?: number };
  return fc.string({
    unit: 'grapheme',
    minLength: Math.max(1, minLength),
    maxLength: Math.max(1, Math.min(maxLength, 60)),
  });
};

/** A value that the schema admits. */
const right = (schema: Schema, override: Overrides, name = ''): Arbitrary<unknown> => {
  const overridden = override[name];
  if (overridden) return overridden;
  if (Array.isArray(schema.enum)) return fc.constantFrom<unknown>(...(schema.enum as unknown[]));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  const { minimum = -3, maximum = 20 } = schema as { minimum?: number; maximum?: number };
  if (type === 'integer') return fc.integer({ min: minimum, max: maximum });
  if (type === 'number') return fc.double({ min: minimum, max: maximum, noNaN: true });
  if (type === 'boolean') return fc.boolean();
  if (type === 'array')
    return fc.array(toValue(schema.items as Schema, override, name), { minLength: 1, maxLength: 4 });
  if (type === 'object' && schema.properties) return toObject(schema, override);
  if (type === 'object') return fc.dictionary(fc.string({ maxLength: 8 }), hostileValue, { maxKeys: 3 });
  return rightText(schema);
};

/** A value at or over an edge of the schema. */
const near = (schema: Schema): Arbitrary<unknown> => {
  const { minLength = 0, maxLength = 255, minimum = 0, maximum = 100 } = schema as Record<string, number>;
  return fc.constantFrom<unknown>(
    'é'.repeat(maxLength),
    'é'.repeat(maxLength + 1),
    'é'.repeat(Math.max(0, minLength - 1)),
    ` ${'a'.repeat(minLength)} `,
    minimum - 1,
    maximum + 1,
    minimum + 0.5,
    String(minimum),
    'true',
    Array.from({ length: 1001 }, () => 0),
  );
};

/** What a test knows better than the schema, by field name: ids that exist, times that are short. */
export type Overrides = Record<string, Arbitrary<unknown>>;

const toValue = (schema: Schema, override: Overrides, name = ''): Arbitrary<unknown> =>
  fc.oneof(
    { weight: 12, arbitrary: right(schema, override, name) },
    { weight: 1, arbitrary: near(schema) },
    { weight: 1, arbitrary: hostileValue },
  );

/** An object of the schema: most fields right, some wrong or missing, sometimes unknown fields. */
export const toObject = (object: TSchema, override: Overrides = {}): Arbitrary<Record<string, unknown>> => {
  const schema = object as Schema;
  const properties = Object.entries(schema.properties as Record<string, Schema>);
  const required = new Set((schema.required as string[] | undefined) ?? []);
  const fields = properties.map(([name, property]) =>
    fc.option(toValue(property, override, name), { freq: required.has(name) ? 20 : 2, nil: undefined }),
  );
  // Seldom, because a payload with an unknown key is refused and tries nothing else.
  const extra = fc.oneof(
    { weight: 20, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.dictionary(hostileText, hostileValue, { maxKeys: 2 }) },
  );
  return fc.tuple(extra, ...fields).map(([unknown, ...values]) => {
    const known = properties.flatMap(([name], index) => (values[index] === undefined ? [] : [[name, values[index]]]));
    return { ...unknown, ...(Object.fromEntries(known) as Record<string, unknown>) };
  });
};

/** What becomes of the JSON text on its way. */
export const mangle: Arbitrary<(text: string) => Buffer | undefined> = fc.oneof(
  { weight: 14, arbitrary: fc.constant((text: string) => Buffer.from(text)) },
  {
    weight: 6,
    arbitrary: fc.constantFrom<((text: string) => Buffer | undefined)[]>(
      () => undefined,
      () => Buffer.alloc(0),
      () => Buffer.from(' \n '),
      () => Buffer.from('null'),
      () => Buffer.from('"text"'),
      () => Buffer.from('['.repeat(10_000)),
      (text) => Buffer.from(`[${text}]`),
      (text) => Buffer.from(text.slice(0, -1)),
      (text) => Buffer.from(`\ufeff${text}`),
      (text) => Buffer.from(text.replace('{', '{"__proto__":{"isAdmin":true},')),
      (text) => Buffer.from(text.replace('{', '{"constructor":{"prototype":{"isAdmin":true}},')),
      (text) => Buffer.from(text.replace(/^\{("[^"]*":)/, '{$1"first",$1')),
      (text) => Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from(',"x":"\xff\xfe"}', 'latin1')]),
      (text) => Buffer.from(text, 'utf16le'),
      (text) => Buffer.from(`${text}${text}`),
      () => Buffer.alloc(1_048_577, 'a'),
    ),
  },
);

export const jsonType = fc.oneof(
  { weight: 20, arbitrary: fc.constant('application/json') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'application/json; charset=utf-16',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      ';',
      '\xff',
      'application/json, text/html',
    ),
  },
);

/** Headers that no client of ours sends. */
export const oddHeaders: Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Record<string, string>[]>(
      { host: '1.2.3.4.5' },
      { host: '[:::]:1' },
      { host: 'xn--a' },
      { host: 'a'.repeat(8000) },
      { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'javascript' },
      { 'x-request-id': '\x01'.repeat(0) + 'chosen' },
      { accept: 'text/html', 'accept-encoding': 'nonsense;q=9' },
      { 'accept-version': '2.x' },
      { 'content-encoding': 'gzip' },
      { 'idempotency-key': 'a'.repeat(256) },
      { 'idempotency-key': 'caf\xe9' },
      { 'if-none-match': '"'.repeat(4000) },
      { range: 'bytes=0-0,-1,99999999999-' },
      { cookie: 'a=b; '.repeat(2000) },
      { expect: 'a miracle' },
      { 'x-http-method-override': 'DELETE' },
    ),
  },
);
