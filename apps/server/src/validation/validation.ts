import {
  findExpertFault,
  findNearestName,
  findSymbolFault,
  isIsoDate,
  isSingleLine,
  parseIsoDateTime,
  TaskStatus,
  TaskType,
  TerminalStatus,
  toAttribute,
  type FieldError,
  type TObject,
  type TSchema,
} from '@berth/contract';
import { Ajv, type ErrorObject, type SchemaValidateFunction, type ValidateFunction } from 'ajv';
import ajvFormats, { type FormatsPlugin } from 'ajv-formats';
import { MAX_ERRORS } from '../errors.ts';
import { namedNumbers, normaliseBody, parseQuery, type InputMode } from './normalise.ts';
import { parseNumbers } from './table-numbers.ts';
import { isUuid, UUID } from './uuid.ts';
import { toFieldErrors } from './validation-texts.ts';

const isListOf =
  (table: Readonly<Record<string, number>>) =>
  (text: string): boolean =>
    parseNumbers(table, text) !== undefined;

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
  const hasHost = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(url.hostname);
  return ['http:', 'https:'].includes(url.protocol) && hasHost && isBare && !/[?#]$/.test(text);
};

/** The contract's schema keywords beyond JSON Schema. */
const stringKeywords: Record<string, (text: string) => boolean> = {
  singleLine: isSingleLine,
  isoDate: isIsoDate,
  isoDateTime: (text) => parseIsoDateTime(text) !== undefined,
  taskStatusList: isListOf(TaskStatus),
  taskTypeList: isListOf(TaskType),
  terminalStatusList: isListOf(TerminalStatus),
  uuidList: (text) => text.split(',').every((part) => isUuid(part.trim())),
  webOrigin: isWebOrigin,
};

/** Keywords of names, and why a text is none of them: their errors say so. */
const nameKeywords: Record<string, (name: string) => string | undefined> = {
  symbolName: findSymbolFault,
  expertName: findExpertFault,
};

const addNameKeyword = (ajv: Ajv, keyword: string, findFault: (name: string) => string | undefined): void => {
  const validate: SchemaValidateFunction = (_: boolean, text: string) => {
    const fault = findFault(text);
    validate.errors = fault === undefined ? [] : [{ keyword, params: { fault } }];
    return fault === undefined;
  };
  ajv.addKeyword({ keyword, type: 'string', schemaType: 'boolean', errors: true, validate });
};

/** A CommonJS default export: the function itself is its `default`. */
const addFormats = ajvFormats.default as unknown as FormatsPlugin;

const createAjv = ({ allErrors }: { allErrors: boolean }): Ajv => {
  const ajv = new Ajv({ allErrors, strict: true, strictTypes: false, useDefaults: true, allowUnionTypes: true });
  addFormats(ajv, ['email']);
  // Not the package's own: that also accepts `urn:uuid:…`, which PostgreSQL refuses.
  ajv.addFormat('uuid', UUID);
  // Handled before validation, when the input is normalised.
  for (const keyword of ['notEmpty', ...Object.keys(namedNumbers)]) ajv.addKeyword(keyword);
  for (const [keyword, holds] of Object.entries(stringKeywords)) {
    ajv.addKeyword({
      keyword,
      type: 'string',
      schemaType: 'boolean',
      validate: (_: boolean, text: string) => holds(text),
    });
  }
  for (const [keyword, findFault] of Object.entries(nameKeywords)) addNameKeyword(ajv, keyword, findFault);
  return ajv;
};

const people = createAjv({ allErrors: true });
/** A program gains nothing from a second error, and a large report may have a hundred thousand of them. */
const programs = createAjv({ allErrors: false });

export type Validated = { value: Record<string, unknown>; errors: FieldError[] };

/** More than any field has that is wrong in itself; a missing one counts for the object that lacks it. */
const MAX_VIOLATIONS = 64;

const inSchemaOrder = (errors: FieldError[], schema: TObject, prefix: string): FieldError[] => {
  const order = Object.keys(schema.properties);
  const rank = ({ field }: FieldError) => order.indexOf(field.slice(prefix.length).split('.')[0] ?? '');
  return errors
    .map((error, index) => ({ error, index }))
    .sort((a, b) => rank(a.error) - rank(b.error) || a.index - b.index)
    .map(({ error }) => error);
};

/** Compiled on first use, like the serialisers: see serialiser.ts. */
const compileLazily = (schema: TObject, ajv = people): (() => ValidateFunction) => {
  let validate: ValidateFunction | undefined;
  return () => (validate ??= ajv.compile(schema));
};

/** Of the wrong items of one array, and of whatever else is wrong with one field, only the first are looked at. */
const toFirstViolations = (errors: readonly ErrorObject[]): ErrorObject[] => {
  const counts = new Map<string, number>();
  return errors.filter(({ instancePath }) => {
    const field = instancePath.split('/', 2)[1] ?? '';
    const count = (counts.get(field) ?? 0) + 1;
    counts.set(field, count);
    return count <= MAX_VIOLATIONS;
  });
};

const check = (validate: ValidateFunction, schema: TObject, input: Validated, prefix: string): Validated => {
  if (validate(input.value)) return input;
  const broken = new Set(input.errors.map(({ field }) => field));
  const violations = toFieldErrors(toFirstViolations(validate.errors ?? []), prefix).filter(
    ({ field }) => !broken.has(field),
  );
  return { value: input.value, errors: inSchemaOrder([...input.errors, ...violations], schema, prefix) };
};

/** Validates a JSON object: normalises it, drops unknown fields, returns the value and its errors. */
export const compileBody = (schema: TObject, mode: InputMode = 'create', prefix = '') => {
  const getValidate = compileLazily(schema, mode === 'verbatim' ? programs : people);
  return (body: Record<string, unknown>): Validated =>
    check(getValidate(), schema, normaliseBody(schema, body, mode, prefix), prefix);
};

/** Longer names are not echoed to their sender. */
const MAX_NAME = 64;

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

/**
 * Fields of an object that the schema does not have, at any depth that it describes; each with the nearest one that it
 * has. A body may have ten thousand of them, and the nearest name takes time: whoever reads takes as many as are shown.
 */
const listUnknown = function* (schema: TSchema, value: unknown, prefix: string): Generator<FieldError> {
  const properties = propertiesOf(schema);
  if (properties && isObject(value)) {
    const known = Object.keys(properties);
    for (const name of Object.keys(value)) {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (property) yield* listUnknown(property, value[name], `${prefix}${name}.`);
      else yield toError(prefix, name, known);
    }
  } else if ('items' in schema && Array.isArray(value)) {
    const { items, maxItems = Infinity } = schema as { items: TSchema; maxItems?: number };
    // Of one that is too long nothing is looked at.
    if (value.length > maxItems) return;
    for (const [index, item] of value.entries()) yield* listUnknown(items, item, `${prefix}${index}.`);
  }
};

const listFirstUnknown = (schema: TObject, body: Record<string, unknown>, prefix: string): FieldError[] => {
  const errors: FieldError[] = [];
  for (const error of listUnknown(schema, body, prefix)) {
    errors.push(error);
    if (errors.length === MAX_ERRORS) break;
  }
  return errors;
};

/** Like `compileBody`, for an object whose unknown fields are errors. */
export const compileStrictBody = (schema: TObject, mode: InputMode = 'create', prefix = '') => {
  const checkBody = compileBody(schema, mode, prefix);
  return (body: Record<string, unknown>): Validated => {
    const { value, errors } = checkBody(body);
    return { value, errors: [...listFirstUnknown(schema, body, prefix), ...errors] };
  };
};

/** Validates a query string: values are parsed from text by the type in the schema. */
export const compileQuery = (schema: TObject) => {
  const getValidate = compileLazily(schema);
  return (query: Record<string, unknown>): Validated => check(getValidate(), schema, parseQuery(schema, query), '');
};
