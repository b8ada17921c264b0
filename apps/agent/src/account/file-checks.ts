/** What fields of a file from a stranger are held to. */
import { isDecimal, isSingleLine } from '@berth/contract/values';

export type Fields = Record<string, unknown>;
export type Check = (value: unknown) => boolean;

export const isBoolean: Check = (value) => typeof value === 'boolean';
export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isLine =
  (min: number, max: number): Check =>
  (value) =>
    typeof value === 'string' && value.length >= min && value.length <= max && isSingleLine(value);
export const isInteger =
  (max: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= max;
export const isAmount: Check = (value) => typeof value === 'string' && isDecimal(value);
export const isTicket: Check = (value) => typeof value === 'string' && /^(0|[1-9]\d{0,17})$/.test(value);
export const isMagic: Check = (value) => typeof value === 'string' && /^-?\d{1,20}$/.test(value);
export const isTime: Check = (value) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/.test(value) && Date.parse(value) >= 0;
export const isOneOf =
  (values: readonly string[]): Check =>
  (value) =>
    values.includes(value as string);
export const isNullOr =
  (isRight: Check): Check =>
  (value) =>
    value === null || isRight(value);
/** What programs of an earlier version do not say. */
export const isAbsentOr =
  (isRight: Check): Check =>
  (value) =>
    value === undefined || isRight(value);
export const isVersion: Check = (value) => value === 1;

/** The first field that is wrong; undefined where all are right. */
export const findWrong = (value: unknown, checks: Record<string, Check>): string | undefined =>
  isObject(value) ? Object.keys(checks).find((name) => !checks[name]?.(value[name])) : '(not an object)';

export const pick = <Result>(value: unknown, checks: Record<string, Check>): Result =>
  Object.fromEntries(Object.keys(checks).map((name) => [name, (value as Fields)[name]])) as Result;

/** The items of a list; a text says which one is wrong. */
export const readItems = <Item>(
  value: unknown,
  name: string,
  max: number,
  checks: Record<string, Check>,
): Item[] | string => {
  if (!Array.isArray(value) || value.length > max) return name;
  for (const [index, item] of value.entries()) {
    const wrong = findWrong(item, checks);
    if (wrong !== undefined) return `${name}[${index}].${wrong}`;
  }
  return value.map((item) => pick<Item>(item, checks));
};

export const hasDoubles = (items: readonly { ticket: string }[]): boolean =>
  new Set(items.map(({ ticket }) => ticket)).size !== items.length;
