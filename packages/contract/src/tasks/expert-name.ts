/**
 * Names that Windows keeps for devices, in any spelling and with any ending: a file `nul.ex5` cannot be made there, and what is
 * written to it is gone. Windows also passes over spaces before the point, and takes the raised digits for digits.
 */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$) *(?:\.|$)/i;

/** A file's name has 255 bytes at most; the ending and the mark of a file that is being replaced take their part. */
const MAX_BYTES = 220;

/**
 * True for a text that can be the name of a file, without its ending, on every kind of host.
 * @example
 * import { isFileStem } from '@berth/contract';
 * isFileStem('Trend Follower'); // => true
 * isFileStem('nul'); // => false
 */
export const isFileStem = (text: string): boolean =>
  !RESERVED.test(text) && new TextEncoder().encode(text).length <= MAX_BYTES && !/[. ]$/.test(text);
