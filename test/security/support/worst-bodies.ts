/**
 * The worst bodies that a route can get: as large as it takes them, and filled with what costs most to look through.
 * One place of the body is filled at a time; the rest of it is right.
 */
import { NewTerminal, payloadSchemas, type TaskType, toMaxBodyBytes, Type, type RouteContract } from '@berth/contract';

/** A schema seen as the JSON that it is. */
type Schema = Record<string, any>;

export interface WorstBody {
  title: string;
  text: string;
}

/** Right values that a schema does not tell, by field name. */
export type KnownValues = Record<string, unknown>;

/** Fills this many bytes of JSON. */
type Filling = (sizeBytes: number) => string;

const MARK = '@here@';

/** Fewer than the server takes in one list, and in all lists of a body. */
const MAX_PARTS = 16_000;
const MAX_ALL_PARTS = 95_000;

/** A list of as many parts as fit. */
const fillList = (sizeBytes: number, toPart: (index: number) => string, maxParts = MAX_PARTS): string => {
  const parts: string[] = [];
  for (let restBytes = sizeBytes; parts.length < maxParts;) {
    const part = toPart(parts.length);
    restBytes -= Buffer.byteLength(part) + 1;
    if (restBytes < 2) break;
    parts.push(part);
  }
  return parts.join(',');
};

const objectOf =
  (toMember: (index: number) => string): Filling =>
  (sizeBytes) =>
    `{${fillList(sizeBytes, toMember)}}`;
const arrayOf =
  (toItem: (index: number) => string): Filling =>
  (sizeBytes) =>
    `[${fillList(sizeBytes, toItem)}]`;
const stringOf =
  (unit: string): Filling =>
  (sizeBytes) =>
    `"${unit.repeat(Math.floor((sizeBytes - 2) / Buffer.byteLength(unit)))}"`;
const nested =
  (open: string, close: string): Filling =>
  (sizeBytes) => {
    const depth = Math.floor((sizeBytes - 1) / (open.length + close.length));
    return `${open.repeat(depth)}1${close.repeat(depth)}`;
  };
/** Lists of small parts, as many in all as a body may have. */
const listsOf =
  (toPart: (index: number) => string, [open, close]: [string, string]): Filling =>
  (sizeBytes) => {
    const lists = Math.ceil(MAX_ALL_PARTS / MAX_PARTS);
    const list = fillList(sizeBytes / lists - 4, toPart);
    return `[${Array.from({ length: lists }, () => `${open}${list}${close}`).join(',')}]`;
  };

/** Costly wherever they stand, the field be known or not. */
const anywhere: Record<string, Filling> = {
  'deep arrays': nested('[', ']'),
  'deep objects': nested('{"a":', '}'),
  'lists of empty arrays': listsOf(() => '[]', ['[', ']']),
  'lists of fields': listsOf((index) => `"${index.toString(36)}":1`, ['{', '}']),
  'big numbers': arrayOf((index) => `${index}1e99`),
};
const numbers: Record<string, Filling> = {
  'a number of all its digits': (sizeBytes) => '9'.repeat(sizeBytes),
  'a list of empty arrays': arrayOf(() => '[]'),
};
const strings: Record<string, Filling> = {
  'a long string': stringOf('a'),
  'a string of half characters': stringOf('\\ud800'),
  'a string of commas': stringOf('a,'),
};
const objects: Record<string, Filling> = {
  'short unknown fields': objectOf((index) => `"${index.toString(36)}":1`),
  'long unknown fields': objectOf((index) => `"${'a_b_c_d_e_'.repeat(6)}${index.toString(36)}":1`),
  'a prototype': (sizeBytes) => `{"__proto__":{},${objectOf((index) => `"${index}":[]`)(sizeBytes - 17).slice(1)}`,
};

const typeOf = (schema: Schema): unknown => (Array.isArray(schema.type) ? schema.type[0] : schema.type);

/** A value that the schema admits, mostly: with one item in each array. */
const toRight = (schema: Schema, known: KnownValues, name = ''): unknown => {
  if (name in known) return known[name];
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const type = typeOf(schema);
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  if (type === 'array') return [toRight(schema.items as Schema, known, name)];
  if (type === 'object') {
    const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
    return Object.fromEntries(properties.map(([field, property]) => [field, toRight(property, known, field)]));
  }
  if (schema.format === 'uuid') return '0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10';
  if (schema.format === 'email') return 'nobody@example.com';
  return schema.isoDateTime ? '2026-01-01T12:00:00Z' : ((schema.examples as unknown[] | undefined)?.[0] ?? '1');
};

/** An item with a wrong value in each of its fields. */
const toWrong = (schema: Schema): string =>
  JSON.stringify(Object.fromEntries(Object.keys((schema.properties ?? {}) as object).map((field) => [field, [[]]])));

/** As many right items as there may be, each with so many items in its own arrays that all are full together. */
const toFullItems = (schema: Schema, known: KnownValues): Filling => {
  const { items, maxItems = 1000 } = schema as { items: Schema; maxItems?: number };
  return (sizeBytes) => {
    const roomBytes = Math.floor(sizeBytes / maxItems) - 1;
    const right = toRight(items, known) as Record<string, unknown>;
    const inner = Object.entries((items.properties ?? {}) as Record<string, Schema>).filter(
      ([, property]) => typeOf(property) === 'array' || (typeOf(property) === 'object' && !property.properties),
    );
    const frameBytes = JSON.stringify(right).length;
    const eachBytes = Math.floor((roomBytes - frameBytes) / Math.max(1, inner.length));
    const filled = inner.map(([field, property]) => {
      const fill = typeOf(property) === 'array' ? arrayOf(() => '{}') : objects['short unknown fields']!;
      return `${JSON.stringify(field)}:${fill(Math.max(16, eachBytes))}`;
    });
    const others = Object.entries(right).filter(([field]) => !inner.some(([name]) => name === field));
    const written = others.map(([field, value]) => `${JSON.stringify(field)}:${JSON.stringify(value)}`);
    return arrayOf(() => `{${[...written, ...filled].join(',')}}`)(Math.min(sizeBytes, maxItems * (roomBytes + 64)));
  };
};

const arrays = (schema: Schema, known: KnownValues): Record<string, Filling> => {
  const { items, maxItems = 1000 } = schema as { items: Schema; maxItems?: number };
  const upToLimit =
    (toItem: (index: number) => string): Filling =>
    (sizeBytes) => {
      const fill = arrayOf((index) => toItem(index))(sizeBytes);
      const all = JSON.parse(fill) as unknown[];
      return all.length <= maxItems ? fill : JSON.stringify(all.slice(0, maxItems));
    };
  const rightItem = JSON.stringify(toRight(items, known));
  const wrongItem = toWrong(items);
  return {
    'too many empty objects': (sizeBytes) => `[${fillList(sizeBytes, () => '{}', Infinity)}]`,
    'empty objects': upToLimit(() => '{}'),
    numbers: upToLimit((index) => String(index)),
    nulls: upToLimit(() => 'null'),
    'right items': upToLimit(() => rightItem),
    'wrong items': upToLimit(() => wrongItem),
    ...(items.properties ? { 'items that are full': toFullItems(schema, known) } : {}),
  };
};

const fillingsOf = (schema: Schema, known: KnownValues): Record<string, Filling> => {
  const type = typeOf(schema);
  if (type === 'array') return { ...arrays(schema, known), ...anywhere };
  if (type === 'object') return { ...objects, ...anywhere };
  return type === 'string' ? strings : numbers;
};

interface Place {
  path: string;
  schema: Schema;
  /** The body with the mark in this place. */
  marked: unknown;
}

/** Every place of a value: it, its fields, its items. */
const listPlaces = (schema: Schema, value: unknown, path: string, mark: (here: unknown) => unknown): Place[] => {
  const place = { path, schema, marked: mark(MARK) };
  if (typeOf(schema) === 'array' && Array.isArray(value)) {
    return [place, ...listPlaces(schema.items as Schema, value[0], `${path}.0`, (here) => mark([here]))];
  }
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  if (typeof value !== 'object' || value === null) return [place];
  const inner = properties.flatMap(([name, property]) =>
    listPlaces(property, (value as Schema)[name], `${path}.${name}`, (here) => mark({ ...value, [name]: here })),
  );
  return [place, ...inner];
};

/** What stands in a body though its schema does not tell it. */
const toBodySchemas = (route: RouteContract): Schema[] => {
  const { body = Type.Object({}), taskTypes = [] } = route as { body?: Schema; taskTypes?: readonly TaskType[] };
  const properties = (body.properties ?? {}) as Record<string, Schema>;
  if ('items' in properties)
    return [{ ...body, properties: { ...properties, items: { ...properties.items, items: NewTerminal } } }];
  if (taskTypes.length === 0) return [body];
  return taskTypes.map((type) => ({
    ...body,
    properties: { ...properties, type: { type: 'integer', enum: [type] }, payload: payloadSchemas[type] },
  }));
};

/** Bodies that are each as long as the route takes them. */
export const listWorstBodies = (route: RouteContract, known: KnownValues): WorstBody[] => {
  const maxBytes = toMaxBodyBytes(route);
  return toBodySchemas(route).flatMap((schema, index) => {
    const right = toRight(schema, known);
    // The places of the payload are all that differs from type to type.
    const places = listPlaces(schema, right, 'body', (here) => here).filter(
      ({ path }) => index === 0 || path.startsWith('body.payload'),
    );
    return places.flatMap(({ path, schema: inner, marked }) => {
      const frame = JSON.stringify(marked);
      const fillings = Object.entries(fillingsOf(inner, known));
      return fillings.map(([title, fill]) => ({
        title: `${title} in ${path}`,
        text: frame.replace(`"${MARK}"`, () => fill(maxBytes - frame.length)),
      }));
    });
  });
};

/** What the headers have room for, beside the rest of them. */
const MAX_QUERY_BYTES = 15_000;

const queryTexts: Record<string, string> = {
  'a long value': 'a',
  commas: ',',
  'many numbers': '1,',
  'many ids': '0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10,',
  blanks: '+',
  'characters of four bytes': '%F0%9F%98%80',
  'half an escape': '%F0',
};

/** Queries that fill the headers: of many parameters, of one many times, and of a long value for each that there is. */
export const listWorstQueries = ({ query }: RouteContract): WorstBody[] => {
  const names = Object.keys(query?.properties ?? {});
  const repeat = (unit: string, sizeBytes = MAX_QUERY_BYTES): string =>
    unit.repeat(Math.floor(sizeBytes / unit.length));
  const many = Array.from({ length: MAX_QUERY_BYTES / 8 }, (_, index) => `${index}=1`).join('&');
  return [
    { title: 'many parameters', text: many.slice(0, MAX_QUERY_BYTES) },
    ...names.flatMap((name) => [
      { title: `${name} many times`, text: repeat(`${name}=1&`) },
      ...Object.entries(queryTexts).map(([title, unit]) => ({
        title: `${title} for ${name}`,
        text: `${name}=${repeat(unit, MAX_QUERY_BYTES - name.length)}`,
      })),
    ]),
  ];
};
