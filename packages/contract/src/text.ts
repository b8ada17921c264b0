/**
 * The one rule for text that reaches a file, a journal or a person: what counts as one line, and what a stranger's words
 * are made into. The sandbox, which knows nothing of this package, has the same set; a house test compares the two.
 */

/**
 * What a text of one line does not hold, as the inside of a character class: every control character and the two
 * separators that some readers take for the end of a line (U+0085, which others do, is a control character).
 */
export const CONTROL_CHARACTERS = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';

const CONTROL = new RegExp(`[${CONTROL_CHARACTERS}]`);
const CONTROLS = new RegExp(`[${CONTROL_CHARACTERS}]+`, 'g');

/**
 * True for a text that cannot begin a line of its own in whatever file it is written to.
 * @example
 * import { isSingleLine } from '@berth/contract/values';
 * isSingleLine('EURUSD'); // => true
 * isSingleLine('EURUSD\nLogin=1'); // => false
 */
export const isSingleLine = (text: string): boolean => !CONTROL.test(text);

/** The text with its control characters replaced by spaces. */
export const toSingleLine = (text: string): string => (isSingleLine(text) ? text : text.replace(CONTROLS, ' '));

/** Halves of a character, which no UTF-8 can write: what is left of one that was cut through. */
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** Marks that turn the reading direction: they make a text look like another one. */
const DIRECTIONS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text without what makes it look like another one. */
export const withoutDirections = (text: string): string => text.replace(DIRECTIONS, '');

/**
 * A text of a host that is kept as it is, but for what no line of a file or database can hold, and what turns its direction.
 * @param maxLength in UTF-16 units
 * @example
 * import { toBoundedLine } from '@berth/contract/values';
 * toBoundedLine('0.10\n', 3); // => '0.1'
 */
export const toBoundedLine = (text: string, maxLength: number): string =>
  withoutDirections(toSingleLine(text.slice(0, maxLength))).replace(LONE_SURROGATES, '\uFFFD');

/**
 * A sentence of a host, for people: one line, bounded, and whatever shows it, neither a link nor markup.
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
