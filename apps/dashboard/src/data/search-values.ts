/**
 * Values of query parameters, which anybody may have written: invalid ones are dropped, so that an old link still
 * opens.
 */

const MAX_TEXT = 255;

/** A page of a list from the second on; the first one is omitted. */
export const toPage = (page: unknown): { page?: number } =>
  typeof page === 'number' && Number.isInteger(page) && page > 1 && page < 1e9 ? { page } : {};

/** Text under this name. Text that looks like a number is parsed as one. */
export const toText = <Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> => {
  const isText = (typeof value === 'string' && value !== '') || typeof value === 'number';
  return isText ? ({ [name]: String(value).slice(0, MAX_TEXT) } as Partial<Record<Name, string>>) : {};
};

/** One of these words under this name. */
export const toOneOf = <Name extends string, Word extends string>(
  name: Name,
  words: readonly Word[],
  value: unknown,
): Partial<Record<Name, Word>> => {
  const word = words.find((known) => known === value);
  return word === undefined ? {} : ({ [name]: word } as Partial<Record<Name, Word>>);
};
