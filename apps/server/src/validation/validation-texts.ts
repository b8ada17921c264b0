import { toAttribute, type FieldError } from '@berth/contract';
import type { ErrorObject } from 'ajv';

const typeTexts: Record<string, string> = {
  string: 'must be a string',
  integer: 'must be an integer',
  number: 'must be a number',
  boolean: 'must be true or false',
  array: 'must be an array',
  object: 'must be an object',
};

const toTypeText = (type: unknown): string => typeTexts[String(Array.isArray(type) ? type[0] : type)] ?? 'is invalid';

type Params = Record<string, unknown>;

/** What is wrong with a field, by JSON Schema keyword: the rest of the sentence `The x field …`. */
const keywordTexts: Record<string, (params: Params) => string> = {
  type: ({ type }) => toTypeText(type),
  minLength: ({ limit }) => `must be at least ${String(limit)} characters`,
  maxLength: ({ limit }) => `must not be greater than ${String(limit)} characters`,
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must not be greater than ${String(limit)}`,
  minItems: ({ limit }) => `must have at least ${String(limit)} items`,
  maxItems: ({ limit }) => `must not have more than ${String(limit)} items`,
  format: ({ format }) => (format === 'email' ? 'must be a valid email address' : 'must be a valid UUID'),
  pattern: () => 'format is invalid',
  singleLine: () => 'must not contain control characters',
  symbolName: ({ fault }) => String(fault),
  expertName: ({ fault }) => String(fault),
  isoDate: () => 'must match the format Y-m-d',
  isoDateTime: () => 'must be a valid date',
  uuidList: () => 'must be a list of UUIDs, comma-separated',
  webOrigin: () => 'must be a valid URL of one host, without * and without a path',
};

const SELECTION_KEYWORDS = new Set(['enum', 'const', 'taskStatusList', 'taskTypeList', 'terminalStatusList']);

/** A longer list is of no use to anybody. */
const MAX_CHOICES = 32;

/** The allowed values of a field, as a sentence. */
const toChoices = ({ allowedValues }: Params): string | undefined => {
  if (!Array.isArray(allowedValues) || allowedValues.length > MAX_CHOICES) return undefined;
  const [last, ...others] = allowedValues.map(String).reverse();
  if (last === undefined) return undefined;
  return others.length === 0 ? `It must be ${last}.` : `Choose ${others.reverse().join(', ')} or ${last}.`;
};

const hasChoicesInText = (field: string): boolean => field.startsWith('payload.');

const keywordHints: Record<string, string> = {
  symbolName: 'Write the symbol exactly as the Market Watch of the terminal shows it.',
  expertName: 'Give the name of the program without its ending; folders below Experts are separated by a backslash.',
};

/** A hint where the text itself does not list the allowed values: outside of payloads it is fixed. */
const toHint = (field: string, keyword: string, params: Params): string | undefined => {
  if (Object.hasOwn(keywordHints, keyword)) return keywordHints[keyword];
  if (hasChoicesInText(field) || !SELECTION_KEYWORDS.has(keyword)) return undefined;
  return keyword.endsWith('List') ? 'Give numbers or names, comma-separated: 3 or 0,1,2 or failed.' : toChoices(params);
};

/** The text of one schema violation. */
export const toText = (field: string, keyword: string, params: Params): string => {
  if (SELECTION_KEYWORDS.has(keyword)) {
    const choices = hasChoicesInText(field) ? toChoices(params) : undefined;
    return `The selected ${toAttribute(field)} is invalid.${choices === undefined ? '' : ` ${choices}`}`;
  }
  const toRest = keywordTexts[keyword];
  return `The ${toAttribute(field)} field ${toRest ? toRest(params) : 'is invalid'}.`;
};

const toField = (prefix: string, error: ErrorObject): string => {
  const path = error.instancePath.split('/').slice(1);
  if (error.keyword === 'required') path.push(String(error.params.missingProperty));
  return prefix + path.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
};

/**
 * Schema violations as field errors. A field that is missing has only its required text; a value of the wrong type for
 * a fixed list has only the list's text.
 */
export const toFieldErrors = (errors: readonly ErrorObject[], prefix = ''): FieldError[] => {
  const listed = new Set(
    errors.filter(({ keyword }) => SELECTION_KEYWORDS.has(keyword)).map((error) => toField(prefix, error)),
  );
  return errors
    .filter((error) => error.keyword !== 'type' || !listed.has(toField(prefix, error)))
    .map((error) => {
      const field = toField(prefix, error);
      const text =
        error.keyword === 'required'
          ? `The ${toAttribute(field)} field is required.`
          : toText(field, error.keyword, error.params);
      const hint = toHint(field, error.keyword, error.params);
      return { field, text, ...(hint === undefined ? {} : { hint }) };
    });
};
