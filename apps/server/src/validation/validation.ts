import {
  findNearestName,
  isFileStem,
  isIsoDate,
  isSingleLine,
  parseIsoDateTime,
  taskStatuses,
  taskTypes,
  terminalStatuses,
  toAttribute,
  type FieldError,
  type TObject,
  type TSchema,
} from '@berth/contract';
import { Ajv, type ValidateFunction } from 'ajv';
import ajvFormats, { type FormatsPlugin } from 'ajv-formats';
import { normaliseBody, parseQuery, type InputMode } from './normalise.ts';
import { isUuid, UUID } from './uuid.ts';
import { toFieldErrors } from './validation-texts.ts';

/** Numbers of a table, comma-separated. */
const isListOf =
  (known: readonly number[]) =>
  (text: string): boolean =>
    text.split(',').every((part) => known.some((number) => String(number) === part.trim()));

/** Not by `URL.canParse`: of Node.js 20, once it is compiled, that refuses letters such as `ü`. */
const parseUrl = (text: string): URL | undefined => {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};

const isWebOrigin = (text: string): boolean => {
  const url = isSingleLine(text) ? parseUrl(text) : undefined;
  if (!url) return false;
  const isBare =
    url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  return ['http:', 'https:'].includes(url.protocol) && isBare && !text.endsWith('?') && !text.endsWith('#');
};

/** The contract's schema keywords beyond JSON Schema. */
const stringKeywords: Record<string, (text: string) => boolean> = {
  singleLine: isSingleLine,
  fileStem: isFileStem,
  isoDate: isIsoDate,
  isoDateTime: (text) => parseIsoDateTime(text) !== undefined,
  taskStatusList: isListOf(taskStatuses),
  taskTypeList: isListOf(taskTypes),
  terminalStatusList: isListOf(terminalStatuses),
  uuidList: (text) => text.split(',').every((part) => isUuid(part.trim())),
  webOrigin: isWebOrigin,
};

/** A CommonJS default export: the function itself is its `default`. */
const addFormats = ajvFormats.default as unknown as FormatsPlugin;

const createAjv = (): Ajv => {
  const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, useDefaults: true, allowUnionTypes: true });
  addFormats(ajv, ['email']);
  // Not the package's own: that also accepts `urn:uuid:…`, which PostgreSQL refuses.
  ajv.addFormat('uuid', UUID);
  // Handled before validation, when the input is normalised.
  ajv.addKeyword('notEmpty');
  for (const [keyword, holds] of Object.entries(stringKeywords)) {
    ajv.addKeyword({
      keyword,
      type: 'string',
      schemaType: 'boolean',
      validate: (_: boolean, text: string) => holds(text),
    });
  }
  return ajv;
};

const ajv = createAjv();

export type Validated = { value: Record<string, unknown>; errors: FieldError[] };

const inSchemaOrder = (errors: FieldError[], schema: TObject, prefix: string): FieldError[] => {
  const order = Object.keys(schema.properties);
  const rank = ({ field }: FieldError) => order.indexOf(field.slice(prefix.length).split('.')[0] ?? '');
  return errors
    .map((error, index) => ({ error, index }))
    .sort((a, b) => rank(a.error) - rank(b.error) || a.index - b.index)
    .map(({ error }) => error);
};

/** Compiled on first use, like the serialisers: see serialiser.ts. */
const compileLazily = (schema: TObject): (() => ValidateFunction) => {
  let validate: ValidateFunction | undefined;
  return () => (validate ??= ajv.compile(schema));
};

const check = (validate: ValidateFunction, schema: TObject, input: Validated, prefix: string): Validated => {
  if (validate(input.value)) return input;
  const broken = new Set(input.errors.map(({ field }) => field));
  const violations = toFieldErrors(validate.errors ?? [], prefix).filter(({ field }) => !broken.has(field));
  return { value: input.value, errors: inSchemaOrder([...input.errors, ...violations], schema, prefix) };
};

/** Validates a JSON object: normalises it, drops unknown fields, returns the value and its errors. */
export const compileBody = (schema: TObject, mode: InputMode = 'create', prefix = '') => {
  const getValidate = compileLazily(schema);
  return (body: Record<string, unknown>): Validated =>
    check(getValidate(), schema, normaliseBody(schema, body, mode, prefix), prefix);
};

/** Longer names are not echoed to their sender. */
const MAX_NAME = 64;
/** Enough to show what is wrong. */
const MAX_ERRORS = 16;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const propertiesOf = (schema: TSchema): TObject['properties'] | undefined =>
  'properties' in schema ? (schema as TObject).properties : undefined;

const toError = (prefix: string, name: string, known: readonly string[]): FieldError => {
  const isShown = name.length <= MAX_NAME && isSingleLine(name) && name.isWellFormed();
  const parent = prefix.replace(/\.$/, '') || 'body';
  if (!isShown) return { field: parent, text: `The ${toAttribute(parent)} field has a field of an unknown name.` };
  const nearest = findNearestName(name, known);
  const ending = nearest === undefined ? '.' : `; did you mean ${nearest}?`;
  return { field: prefix + name, text: `The ${prefix}${name} field is unknown${ending}` };
};

const listUnknown = (schema: TSchema, value: unknown, prefix: string): FieldError[] => {
  const properties = propertiesOf(schema);
  if (properties && isObject(value)) {
    const known = Object.keys(properties);
    return Object.entries(value).flatMap(([name, part]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return property ? listUnknown(property, part, `${prefix}${name}.`) : [toError(prefix, name, known)];
    });
  }
  if (!('items' in schema) || !Array.isArray(value)) return [];
  const { items, maxItems = Infinity } = schema as { items: TSchema; maxItems?: number };
  return value.slice(0, maxItems).flatMap((item, index) => listUnknown(items, item, `${prefix}${index}.`));
};

/**
 * Fields of an object that the schema does not have, at any depth that it describes; each with the nearest one that it
 * has.
 */
const toUnknownErrors = (schema: TObject, body: Record<string, unknown>, prefix: string): FieldError[] =>
  listUnknown(schema, body, prefix).slice(0, MAX_ERRORS);

/** Like `compileBody`, for an object whose unknown fields are errors. */
export const compileStrictBody = (schema: TObject, mode: InputMode = 'create', prefix = '') => {
  const checkBody = compileBody(schema, mode, prefix);
  return (body: Record<string, unknown>): Validated => {
    const { value, errors } = checkBody(body);
    return { value, errors: [...toUnknownErrors(schema, body, prefix), ...errors] };
  };
};

/** Validates a query string: values are parsed from text by the type in the schema. */
export const compileQuery = (schema: TObject) => {
  const getValidate = compileLazily(schema);
  return (query: Record<string, unknown>): Validated => check(getValidate(), schema, parseQuery(schema, query), '');
};
