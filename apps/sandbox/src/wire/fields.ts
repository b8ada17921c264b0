/** Readers for fields of untrusted JSON: each returns undefined for anything but a value of the stated kind and size. */

export const toRecord = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;

/**
 * What a text of one line does not hold, as the inside of a character class: they would break the lines of journals and
 * files. The contract, which the sandbox does not know, has the same set.
 */
export const CONTROL_CHARACTERS = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
const CONTROL = new RegExp(`[${CONTROL_CHARACTERS}]`);

/** Text of one line: 1 to maxLength characters, no control characters. */
export const toText = (value: unknown, maxLength: number): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= maxLength && !CONTROL.test(value) ? value : undefined;

export const toNumber = (value: unknown, min: number, max: number): number | undefined =>
  typeof value === 'number' && value >= min && value <= max ? value : undefined;

export const toInteger = (value: unknown, min: number, max: number): number | undefined =>
  Number.isInteger(value) ? toNumber(value, min, max) : undefined;

/** An array of texts, or undefined when it is too long or one item is not such a text. */
export const toTexts = (value: unknown, maxItems: number, maxLength: number): string[] | undefined => {
  if (!Array.isArray(value) || value.length > maxItems) return undefined;
  const texts = value.map((item) => toText(item, maxLength));
  return texts.every((text) => text !== undefined) ? texts : undefined;
};
