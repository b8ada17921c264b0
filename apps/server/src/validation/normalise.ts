/**
 * How input is normalised before it is validated: unknown fields are dropped, strings trimmed (passwords excepted),
 * empty strings become null, null means absent (see `input` of the route, and `notEmpty` of the schemas). Text that
 * PostgreSQL cannot store (NUL, lone surrogates) and malicious structures are refused here, so that no later code has
 * to consider them.
 */
import {
  TaskStatus,
  TaskType,
  toAttribute,
  type FieldError,
  type RouteContract,
  type TObject,
  type TSchema,
} from '@berth/contract';
import { findNumber } from './table-numbers.ts';
import { toText } from './validation-texts.ts';

export type InputMode = NonNullable<RouteContract['input']>;
type Normalised = { value: Record<string, unknown>; errors: FieldError[] };

/** Deepest nesting of a free-form object (a task's inputs). */
const MAX_DEPTH = 8;

const isPassword = (field: string): boolean => field.includes('password');
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The name of a field inside a free-form object; longer keys are not echoed to their sender. */
const toInner = (field: string, key: string | number): string =>
  typeof key === 'number' || key.length <= 64 ? `${field}.${key}` : field;

/** The first field in a value that cannot be stored or is nested too deeply; undefined for a valid value. */
const findUnstorable = (field: string, value: unknown, depth = 0): string | undefined => {
  if (typeof value === 'string') return isStorable(value) ? undefined : field;
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= MAX_DEPTH) return field;
  for (const [key, item] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    if (typeof key === 'string' && !isStorable(key)) return field;
    const unstorable = findUnstorable(toInner(field, key), item, depth + 1);
    if (unstorable !== undefined) return unstorable;
  }
  return undefined;
};

/**
 * Whether it may be stored as it is. Nearly everything that programs report may, and checking costs far less than
 * copying.
 */
const isAllStorable = (value: unknown, depth = 0): boolean => {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= 2 * MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isAllStorable(item, depth + 1));
  for (const key in value) {
    if (!isStorable(key) || !isAllStorable((value as Record<string, unknown>)[key], depth + 1)) return false;
  }
  return true;
};

/**
 * A copy with unstorable text replaced. A program would only repeat a report that is refused, so as much of it as
 * possible is accepted.
 */
const toStorable = (value: unknown, depth = 0): unknown => {
  if (typeof value === 'string') return isStorable(value) ? value : value.toWellFormed().replaceAll('\0', '\uFFFD');
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= 2 * MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => toStorable(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [toStorable(key), toStorable(item, depth + 1)]));
};

const toScalar = (field: string, value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  const text = isPassword(field) ? value : value.trim();
  return text === '' ? null : text;
};

const itemsOf = (schema: TSchema): TSchema | undefined => ('items' in schema ? (schema.items as TSchema) : undefined);
const propertiesOf = (schema: TSchema): TObject | undefined =>
  'properties' in schema ? (schema as TObject) : undefined;

const normaliseArray = (field: string, value: unknown[], schema: TSchema, mode: InputMode) => {
  const limit = 'maxItems' in schema ? Number(schema.maxItems) : 1000;
  if (value.length > limit) {
    return { value: [], errors: [{ field, text: toText(field, 'maxItems', { limit }) }] };
  }
  const items = itemsOf(schema);
  const parts = value.map((item, index) => normaliseValue(`${field}.${index}`, item, items ?? schema, mode));
  return { value: parts.map((part) => part.value), errors: parts.flatMap((part) => part.errors) };
};

const normaliseValue = (
  field: string,
  input: unknown,
  schema: TSchema,
  mode: InputMode,
): { value: unknown; errors: FieldError[] } => {
  const value = toScalar(field, input);
  if (Array.isArray(value) && itemsOf(schema)) return normaliseArray(field, value, schema, mode);
  const object = propertiesOf(schema);
  if (object && isObject(value)) return normaliseBody(object, value, mode, `${field}.`);
  const unstorable = findUnstorable(field, value);
  if (unstorable === undefined) return { value, errors: [] };
  const text = `The ${toAttribute(unstorable)} field contains invalid characters or is nested too deeply.`;
  return { value, errors: [{ field: unstorable, text }] };
};

export const normaliseBody = (
  schema: TObject,
  body: Record<string, unknown>,
  mode: InputMode,
  prefix = '',
): Normalised => {
  if (mode === 'verbatim') {
    return { value: isAllStorable(body) ? body : (toStorable(body) as Record<string, unknown>), errors: [] };
  }
  const value: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  const required = new Set<string>(schema.required ?? []);
  for (const [name, property] of Object.entries(schema.properties)) {
    if (!Object.hasOwn(body, name)) continue;
    const part = normaliseValue(prefix + name, body[name], property, mode);
    const isAbsent = part.value === null && !('notEmpty' in property) && (mode === 'create' || required.has(name));
    if (!isAbsent) value[name] = part.value;
    errors.push(...part.errors);
  }
  return { value, errors };
};

const INTEGER = /^-?\d{1,15}$/;
const booleans = new Map<string, boolean>([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Keywords of a number that may be given by its name, and the table of each. */
export const namedNumbers = { taskStatusNumber: TaskStatus, taskTypeNumber: TaskType };

const parseText = (text: string, property: TSchema): unknown => {
  const type = 'type' in property ? property.type : 'string';
  for (const [keyword, table] of Object.entries(namedNumbers)) {
    if (keyword in property) return findNumber(table, text) ?? (INTEGER.test(text) ? Number(text) : text);
  }
  if (type === 'integer' && INTEGER.test(text)) return Number(text);
  if (type === 'boolean') return booleans.get(text) ?? text;
  return text;
};

/** Query values are text; a repeated or unparsable one stays as it is and fails validation. */
export const parseQuery = (schema: TObject, query: Record<string, unknown>): Normalised => {
  const value: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  for (const [name, property] of Object.entries(schema.properties)) {
    const text = toScalar(name, Object.hasOwn(query, name) ? query[name] : null);
    if (text === null || text === undefined) continue;
    value[name] = typeof text === 'string' ? parseText(text, property) : text;
    if (findUnstorable(name, text) !== undefined)
      errors.push({ field: name, text: `The ${toAttribute(name)} field contains invalid characters.` });
  }
  return { value, errors };
};
