import { findNearestName, isSingleLine, type FieldError, type TObject, type TSchema } from '@berth/contract';
import { toAttribute } from './validation-texts.ts';

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
export const toUnknownErrors = (schema: TObject, body: Record<string, unknown>, prefix: string): FieldError[] =>
  listUnknown(schema, body, prefix).slice(0, MAX_ERRORS);
