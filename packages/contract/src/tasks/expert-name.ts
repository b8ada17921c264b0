/**
 * Names that Windows reserves for devices, in any spelling and with any extension: a file `nul.ex5` cannot be created,
 * and what is written to it is lost. Windows also ignores spaces before the dot, and treats superscript digits as
 * digits.
 */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$) *(?:\.|$)/i;

/**
 * A file name has 255 bytes at most; the extension and the suffix of a file that is being replaced need some of them.
 */
const MAX_BYTES = 220;

/**
 * True for a text that can be a file name, without its extension, on every kind of host.
 * @example
 * import { isFileStem } from '@berth/contract';
 * isFileStem('Trend Follower'); // => true
 * isFileStem('nul'); // => false
 */
export const isFileStem = (text: string): boolean =>
  !RESERVED.test(text) && new TextEncoder().encode(text).length <= MAX_BYTES && !/[. ]$/.test(text);
