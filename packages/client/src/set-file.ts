/**
 * Presets of MetaTrader: a `.set` file has a line `Name=value` for each input of an expert. MetaTrader 5 writes them in
 * UTF-16, MetaTrader 4 in the code page of its Windows. Without the rest of the client.
 */
import { isExactNumber, toInputText } from '@berth/contract/values';
import type { Bytes } from './http/bytes.ts';

/** What was given is no preset, or cannot be written as one. */
export class SetFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SetFileError';
  }
}

/** How a preset is written. */
export interface NewSetFileOptions {
  /** Which terminal is to load it; `mt5`. */
  platform?: 'mt5' | 'mt4' | undefined;
}

/** How a preset is read. */
export interface SetFileOptions {
  /** Of a file without a byte order mark that is not UTF-8: a label of `TextDecoder`; `windows-1252`. */
  codePage?: string | undefined;
}

const marks: readonly (readonly [encoding: string, mark: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

const decode = (bytes: Uint8Array, codePage: string): string => {
  const marked = marks.find(([, mark]) => mark.every((byte, place) => bytes[place] === byte));
  if (marked) return new TextDecoder(marked[0]).decode(bytes);
  // The first character of a preset is ASCII: UTF-16 without a mark shows by the other half of it.
  if (bytes[0] !== 0 && bytes[1] === 0) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder(codePage).decode(bytes);
  }
};

/** What the optimiser of MetaTrader 5 adds to a value, `||start||step||stop||Y`. */
const RANGE = /\|\|.*\|\|[YN]\s*$/;
/** What the optimiser of MetaTrader 4 adds are lines of their own: `Lots,F=0`, `Lots,1=0.1`. */
const OPTIMISER_LINE = /,[F123]\s*=/;

const toInput = (line: string, place: number): [name: string, value: string] => {
  const separator = line.indexOf('=');
  const name = line.slice(0, separator).trim();
  if (separator < 1 || name === '') {
    throw new SetFileError(`Line ${place + 1} of the preset is none of Name=value. Is it a .set file?`);
  }
  return [name, line.slice(separator + 1).replace(RANGE, '')];
};

/**
 * The inputs in a preset, in its order, as texts: an expert gets each digit of them. Comments and what belongs to the
 * optimiser are left out.
 * @throws SetFileError where it holds no input, or a line that is none: the expert would run on its defaults
 * @example
 * import { parseSetFile } from '@berth/client/set-file';
 * const bytes = new TextEncoder().encode('; saved by MetaTrader\r\nLots=0.10||0.1||0.01||1||N\r\nNote=a=b');
 * parseSetFile(bytes); // => { Lots: '0.10', Note: 'a=b' }
 */
export const parseSetFile = (
  bytes: Uint8Array,
  { codePage = 'windows-1252' }: SetFileOptions = {},
): Record<string, string> => {
  const inputs = decode(bytes, codePage)
    .split(/\r\n|\n|\r/)
    .map((line, place) => ({ line, place }))
    .filter(({ line }) => line.trim() !== '' && !line.trimStart().startsWith(';') && !OPTIMISER_LINE.test(line))
    .map(({ line, place }) => toInput(line, place));
  if (inputs.length === 0) throw new SetFileError('The preset has no inputs. Is it a .set file?');
  return Object.fromEntries(inputs);
};

/** Anything else would be another input, a comment, or several lines. */
const INPUT_NAME = /^[^;=\r\n\0][^=\r\n\0]*$/;

const toSetLine = ([name, value]: [name: string, value: unknown]): string => {
  if (!INPUT_NAME.test(name) || name.trim() !== name) {
    throw new SetFileError(`A preset cannot hold an input of the name ${JSON.stringify(name)}.`);
  }
  if (typeof value === 'number' && !isExactNumber(value)) {
    throw new SetFileError(`The number of ${name} has lost digits already. Give it as a text.`);
  }
  const text = toInputText(value);
  if (/[\r\n\0]/.test(text)) throw new SetFileError(`The value of ${name} must be one line.`);
  return `${name}=${text}\r\n`;
};

/**
 * Inputs as a preset that MetaTrader 5 loads, in UTF-16. MetaTrader 4 reads it, too, where it has ASCII alone and `platform`
 * is `mt4`.
 * @throws SetFileError for what a preset cannot hold
 * @example
 * import { parseSetFile, toSetFile } from '@berth/client/set-file';
 * parseSetFile(toSetFile({ Lots: 0.1, Magic: '123456789012345678' })); // => { Lots: '0.1', Magic: '123456789012345678' }
 */
export const toSetFile = (
  inputs: Readonly<Record<string, string | number | boolean>>,
  { platform = 'mt5' }: NewSetFileOptions = {},
): Bytes => {
  const text = Object.entries(inputs).map(toSetLine).join('');
  if (platform === 'mt4') {
    const wrong = /[^\r\n\x20-\x7e]/.exec(text)?.[0];
    if (wrong === undefined) return new TextEncoder().encode(text);
    throw new SetFileError(`A preset of MetaTrader 4 has no code page that is known to hold ${wrong}.`);
  }
  const units = `\ufeff${text}`;
  const view = new DataView(new ArrayBuffer(2 * units.length));
  for (let at = 0; at < units.length; at += 1) view.setUint16(2 * at, units.charCodeAt(at), true);
  return new Uint8Array(view.buffer);
};
