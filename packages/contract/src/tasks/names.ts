/**
 * What symbols, experts and inputs may be called. Brokers and authors choose these names, so everything is allowed but
 * what a file of a terminal, a folder of Windows or a reader would take for something else.
 */
import { CONTROL_CHARACTERS, DIRECTION_CHARACTERS } from '../text.ts';

export const MAX_SYMBOL_CHARACTERS = 64;
export const MAX_EXPERT_CHARACTERS = 128;
export const MAX_INPUT_CHARACTERS = 64;

/** No file name of Windows has one of these. */
const FORBIDDEN = '\\/:*?"<>|';
const IN_CLASS = '\\\\/:*?"<>|';

/** What the schemas of symbols match; those of experts may have backslashes, too. */
export const SYMBOL_PATTERN = `^[^${CONTROL_CHARACTERS}${DIRECTION_CHARACTERS}${IN_CLASS}]+$`;
export const EXPERT_PATTERN = SYMBOL_PATTERN.replace('\\\\', '');

const CONTROL = new RegExp(`[${CONTROL_CHARACTERS}]`);
const DIRECTION = new RegExp(`[${DIRECTION_CHARACTERS}]`);
const IN_FORBIDDEN = new RegExp(`[${IN_CLASS}]`);

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

const toByteLength = (text: string): number => new TextEncoder().encode(text).length;

/**
 * True for a text that can be a file name, without its extension, on every kind of host.
 * @example
 * import { isFileStem } from '@berth/contract';
 * isFileStem('Trend Follower'); // => true
 * isFileStem('nul'); // => false
 */
export const isFileStem = (text: string): boolean =>
  !RESERVED.test(text) && toByteLength(text) <= MAX_BYTES && !/[. ]$/.test(text);

/** What all three have in common. @returns the rest of a sentence about the name */
const findFault = (name: string): string | undefined => {
  if (name === '') return 'must not be empty';
  if (CONTROL.test(name)) return 'must not contain control characters';
  if (DIRECTION.test(name)) return 'must not contain characters that change the reading direction';
  const [wrong] = IN_FORBIDDEN.exec(name) ?? [];
  if (wrong !== undefined) return `must not contain ${wrong} or any other of ${[...FORBIDDEN].join(' ')}`;
  if (RESERVED.test(name)) return 'must not be a name that Windows reserves for devices, such as CON or nul.x';
  if (/^\s|[\s.]$/u.test(name)) return 'must not begin with a space, or end with a space or a dot';
  return undefined;
};

/** Round brackets surround symbols in the journal: only pairs of them, not within each other, can be told from those. */
const hasPairedBrackets = (name: string): boolean => !/[()]/.test(name.replaceAll(/\([^()]*\)/g, ''));

/**
 * Why a broker cannot have a symbol of this name, as the rest of a sentence; undefined where it can. Its length is
 * checked elsewhere.
 * @example
 * import { findSymbolFault } from '@berth/contract/values';
 * findSymbolFault('EURUSD.£'); // => undefined
 * findSymbolFault('EURUSD.'); // => 'must not begin with a space, or end with a space or a dot'
 */
export const findSymbolFault = (name: string): string | undefined =>
  findFault(name) ??
  (hasPairedBrackets(name) ? undefined : 'must have its round brackets in pairs, none within another');

/**
 * Why no expert can have this name, which may be a path below the folder `Experts`, with backslashes; undefined where one
 * can. Its length is checked elsewhere.
 * @example
 * import { findExpertFault } from '@berth/contract/values';
 * findExpertFault('Mine\\New [EA] Sniper'); // => undefined
 * findExpertFault('nul'); // => 'must not be a name that Windows reserves for devices, such as CON or nul.x'
 */
export const findExpertFault = (name: string): string | undefined => {
  for (const part of name.split('\\')) {
    const fault = findFault(part);
    if (fault !== undefined) return part === name ? fault : `has a part that ${fault}`;
    if (toByteLength(part) > MAX_BYTES) return `must not be longer than ${MAX_BYTES} bytes of UTF-8`;
  }
  return /\.(?:ex|mq)[45]$/i.test(name) ? 'must not have the ending of its file' : undefined;
};

/**
 * Why no input of an expert can have this name, as the rest of a sentence; undefined where one can.
 * @example
 * import { findInputFault } from '@berth/contract/values';
 * findInputFault('RSI.Price'); // => undefined
 * findInputFault('a=b'); // => 'must not contain =, or begin with ;'
 */
export const findInputFault = (name: string): string | undefined => {
  if ([...name].length > MAX_INPUT_CHARACTERS) return `must not be longer than ${MAX_INPUT_CHARACTERS} characters`;
  return findFault(name) ?? (/^;|=/.test(name) ? 'must not contain =, or begin with ;' : undefined);
};
