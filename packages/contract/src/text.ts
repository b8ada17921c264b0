/**
 * The one rule for text that reaches a file, a journal or a person: what counts as one line, and how untrusted text is
 * cleaned. The sandbox, which does not use this package, has the same set; a house test compares the two.
 */

/**
 * What a single line must not contain, as the inside of a character class: every control character and the two
 * separators that some readers take for the end of a line (U+0085, which others do, is a control character).
 */
export const CONTROL_CHARACTERS = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';

const CONTROL = new RegExp(`[${CONTROL_CHARACTERS}]`);
const CONTROLS = new RegExp(`[${CONTROL_CHARACTERS}]+`, 'g');

/**
 * True for a text that cannot start another line in any file that it is written to.
 * @example
 * import { isSingleLine } from '@berth/contract/values';
 * isSingleLine('EURUSD'); // => true
 * isSingleLine('EURUSD\nLogin=1'); // => false
 */
export const isSingleLine = (text: string): boolean => !CONTROL.test(text);

/** The text with its control characters replaced by spaces. */
export const toSingleLine = (text: string): string => (isSingleLine(text) ? text : text.replace(CONTROLS, ' '));

/** Halves of a character that was cut in two; UTF-8 cannot represent them. */
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** Characters that change the reading direction: they make a text look like another one. */
const DIRECTIONS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text without characters that change the reading direction. */
export const withoutDirections = (text: string): string => text.replace(DIRECTIONS, '');

/**
 * Text from a host, unchanged except for what a line of a file or database cannot contain, and what changes the reading
 * direction.
 * @param maxLength in UTF-16 units
 * @example
 * import { toBoundedLine } from '@berth/contract/values';
 * toBoundedLine('0.10\n', 3); // => '0.1'
 */
export const toBoundedLine = (text: string, maxLength: number): string =>
  withoutDirections(toSingleLine(text.slice(0, maxLength))).replace(LONE_SURROGATES, '\uFFFD');

/**
 * A sentence from a host, for people: one line, limited, and neither a link nor markup wherever it is shown.
 * @param maxLength in UTF-16 units
 * @example
 * import { toPlainSentence } from '@berth/contract/values';
 * toPlainSentence('Disk <b>full</b>', 200); // => 'Disk ‹b›full‹/b›'
 */
export const toPlainSentence = (text: string, maxLength: number): string =>
  withoutDirections(toSingleLine(text.slice(0, maxLength)))
    .replace(LONE_SURROGATES, '\uFFFD')
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replaceAll('://', ': //')
    .trim()
    .slice(0, maxLength);
