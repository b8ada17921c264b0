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

/** A lone surrogate at the end of a text: the first half of a character. */
const HALF_AT_END = /[\ud800-\udbff]$/;

/**
 * The beginning of a text, without a lone surrogate at its end: UTF-8 cannot represent that, and PostgreSQL refuses it.
 * Text is cut with nothing else.
 * @param maxLength in UTF-16 units
 * @example
 * import { cutText } from '@berth/contract/values';
 * cutText('a😀', 2); // => 'a'
 */
export const cutText = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : text.slice(0, maxLength).replace(HALF_AT_END, '');

const LONE_SURROGATES = /\p{Surrogate}/gu;

/** The text with each lone surrogate replaced. The last step of whatever is done to a text. */
export const withoutLoneSurrogates = (text: string): string => text.replace(LONE_SURROGATES, '\uFFFD');

/**
 * Characters that change the reading direction, as the inside of a character class: they make a text look like another
 * one.
 */
export const DIRECTION_CHARACTERS = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
const DIRECTIONS = new RegExp(`[${DIRECTION_CHARACTERS}]`, 'g');

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
  withoutLoneSurrogates(withoutDirections(toSingleLine(cutText(text, maxLength))));

/**
 * A sentence from a host, for people: one line, limited, and neither a link nor markup wherever it is shown.
 * @param maxLength in UTF-16 units
 * @example
 * import { toPlainSentence } from '@berth/contract/values';
 * toPlainSentence('Disk <b>full</b>', 200); // => 'Disk ‹b›full‹/b›'
 */
export const toPlainSentence = (text: string, maxLength: number): string =>
  withoutLoneSurrogates(
    cutText(
      withoutDirections(toSingleLine(cutText(text, maxLength)))
        .replaceAll('<', '‹')
        .replaceAll('>', '›')
        .replaceAll('://', ': //')
        .trim(),
      maxLength,
    ),
  );

/** How texts name a field: `new_password` → `new password`; a nested one keeps its raw key: `abilities.1`, `payload.file_id`. */
export const toAttribute = (field: string): string => (field.includes('.') ? field : field.replaceAll('_', ' '));
