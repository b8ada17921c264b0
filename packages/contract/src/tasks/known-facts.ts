/**
 * Validates a host's statements about a task against what the API documents for its type. A host is a stranger's
 * machine: its statements are shown to a user and may reach other hosts, so nothing in them is kept as a link, as an
 * unexpected kind of path, as markup or as further lines. What does not match is dropped rather than refused: the
 * attempt has ended nevertheless.
 */
import { parseIsoDateTime } from '../dates.ts';
import type { TSchema } from '../schema.ts';
import { cutText, isSingleLine, toPlainSentence, withoutDirections, withoutLoneSurrogates } from '../text.ts';
import { anyStepFacts, factSchemas } from './facts.ts';
import type { TaskStep, TaskType } from './types.ts';

interface FactSchema {
  type?: string | string[];
  properties?: Record<string, FactSchema>;
  required?: string[];
  items?: FactSchema;
  enum?: unknown[];
  pattern?: string;
  format?: string;
  singleLine?: boolean;
  logLine?: boolean;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const STEP_NAME = /^[a-z][a-z0-9_]{0,63}$/;
const MAX_MESSAGE = 2000;
/** A line of a log keeps its tabs: they separate its columns. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL_BUT_TAB = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/g;

const patterns = new Map<string, RegExp>();
const toPattern = (source: string): RegExp => {
  const known = patterns.get(source) ?? new RegExp(source, 'u');
  patterns.set(source, known);
  return known;
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const holdText = (schema: FactSchema, text: string): string | undefined => {
  if (schema.logLine) {
    const cut = cutText(text, schema.maxLength ?? Infinity);
    return withoutLoneSurrogates(withoutDirections(cut.replace(CONTROL_BUT_TAB, ' ')));
  }
  const { minLength = 0, maxLength = Infinity, pattern, format } = schema;
  const fits =
    text.length >= minLength &&
    text.length <= maxLength &&
    isSingleLine(text) &&
    withoutDirections(text) === text &&
    (pattern === undefined || toPattern(pattern).test(text)) &&
    (format !== 'uuid' || UUID.test(text));
  return fits ? text : undefined;
};

const holdNumber = ({ minimum = -Infinity, maximum = Infinity }: FactSchema, value: number): number | undefined =>
  value >= minimum && value <= maximum ? value : undefined;

const holdScalar = (schema: FactSchema, value: unknown): unknown => {
  const kinds = [schema.type ?? []].flat();
  if (schema.enum) return schema.enum.includes(value) ? value : undefined;
  if (value === null) return kinds.includes('null') ? null : undefined;
  if (typeof value === 'boolean') return kinds.includes('boolean') ? value : undefined;
  if (typeof value === 'string') return kinds.includes('string') ? holdText(schema, value) : undefined;
  const isNumber = typeof value === 'number' && (kinds.includes('number') || Number.isInteger(value));
  const isWanted = kinds.includes('number') || kinds.includes('integer');
  return isNumber && isWanted ? holdNumber(schema, value) : undefined;
};

/** An object that lacks a required part is dropped; the outermost one may lack anything. */
const holdPart = (schema: FactSchema, value: unknown): unknown => {
  if (schema.properties) {
    const held = isObject(value) ? holdFields(schema.properties, value) : {};
    return (schema.required ?? []).every((name) => Object.hasOwn(held, name)) ? held : undefined;
  }
  const { items } = schema;
  if (!items) return holdScalar(schema, value);
  if (!Array.isArray(value)) return undefined;
  return value.slice(0, schema.maxItems).flatMap((item) => {
    const held = holdPart(items, item);
    return held === undefined ? [] : [held];
  });
};

const holdFields = (properties: Record<string, FactSchema>, value: Record<string, unknown>) => {
  const held: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const part = Object.hasOwn(value, name) ? holdPart(schema, value[name]) : undefined;
    if (part !== undefined) held[name] = part;
  }
  return held;
};

/** The value if it matches the schema; otherwise undefined. */
export const findFitting = (schema: TSchema, value: unknown): unknown => holdPart(schema, value);

/**
 * The documented facts of a step, by its type of task, in the API's format. Pure.
 * @example
 * import { TaskType, toKnownFacts } from '@berth/contract';
 * const said = { freed_bytes: 12, link: 'https://elsewhere.example' };
 * toKnownFacts(TaskType.TERMINAL_DESTROY, said); // => { freed_bytes: 12 }
 */
export const toKnownFacts = (type: TaskType, data: Record<string, unknown>): Record<string, unknown> =>
  holdFields(
    {
      ...(anyStepFacts as unknown as FactSchema).properties,
      ...(factSchemas[type] as unknown as FactSchema).properties,
    },
    data,
  );

/** Steps as reported by a host, converted to what the API documents. @param now replaces an invalid time. */
export const toKnownSteps = (type: TaskType, steps: readonly TaskStep[], now: Date): TaskStep[] =>
  steps.map(({ step, ok, code, message, at, data }) => ({
    step: STEP_NAME.test(step) ? step : 'unnamed',
    ok,
    code,
    message: toPlainSentence(message, MAX_MESSAGE),
    at: (parseIsoDateTime(at) ?? now).toISOString(),
    data: toKnownFacts(type, data),
  }));
