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

/** True for a text that cannot begin a line of its own in whatever file it is written to. */
export const isSingleLine = (text: string): boolean => !CONTROL.test(text);

/** The text with its control characters replaced by spaces. */
export const toSingleLine = (text: string): string => (isSingleLine(text) ? text : text.replace(CONTROLS, ' '));

/** Marks that turn the reading direction: they make a text look like another one. */
const DIRECTIONS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * A sentence of a host, for people: one line, bounded, and whatever shows it, neither a link nor markup.
 * @param maxLength in UTF-16 units
 */
export const toPlainSentence = (text: string, maxLength: number): string =>
  toSingleLine(text.slice(0, maxLength).toWellFormed())
    .replace(DIRECTIONS, '')
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replaceAll('://', ': //')
    .trim()
    .slice(0, maxLength);
