import { type ConfinedFiles, UnsafeFileError } from '@berth/kit';
import { CodePage } from '../code-page.ts';

/**
 * The encoding of a text file. MetaTrader 5 reads the named ones and writes `utf16le` with a byte order mark; MetaTrader 4
 * writes most of its files in a code page.
 */
export type TextEncoding = 'utf16le' | 'utf8-bom' | 'utf8' | 'latin1' | CodePage;

export interface TextContent {
  text: string;
  encoding: TextEncoding;
  /** Half a UTF-16 code unit at the end, kept so that it can be written back. */
  rest?: Buffer;
}

const UTF16LE_MARK = Buffer.from([0xff, 0xfe]);
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Decodes by byte order mark, or else in the code page. Where that is unknown, bytes that are not UTF-8 are read as
 * Latin-1. `encodeText` restores every byte.
 */
export const decodeText = (bytes: Buffer, codePage?: CodePage): TextContent => {
  if (bytes.subarray(0, 2).equals(UTF16LE_MARK)) {
    const rest = bytes.subarray(bytes.length - (bytes.length % 2));
    return { text: bytes.toString('utf16le', 2), encoding: 'utf16le', ...(rest.length > 0 ? { rest } : {}) };
  }
  const hasMark = bytes.subarray(0, 3).equals(UTF8_MARK);
  if (codePage && !hasMark) return { text: codePage.decode(bytes), encoding: codePage };
  const plain = hasMark ? bytes.subarray(3) : bytes;
  const text = plain.toString('utf8');
  return Buffer.from(text, 'utf8').equals(plain)
    ? { text, encoding: hasMark ? 'utf8-bom' : 'utf8' }
    : { text: bytes.toString('latin1'), encoding: 'latin1' };
};

/**
 * Encodes, including the byte order mark. Text outside of Latin-1 becomes UTF-16, which the terminal reads as well.
 * Throws E_UNSUPPORTED for text that the code page cannot hold.
 */
export const encodeText = ({ text, encoding, rest }: TextContent): Buffer => {
  if (encoding instanceof CodePage) return encoding.encode(text);
  switch (encoding) {
    case 'utf16le':
      return Buffer.concat([UTF16LE_MARK, Buffer.from(text, 'utf16le'), ...(rest ? [rest] : [])]);
    case 'utf8-bom':
      return Buffer.concat([UTF8_MARK, Buffer.from(text, 'utf8')]);
    case 'utf8':
      return Buffer.from(text, 'utf8');
    case 'latin1':
      return /^[\u0000-\u00ff]*$/.test(text) // eslint-disable-line no-control-regex -- the whole range of Latin-1
        ? Buffer.from(text, 'latin1')
        : encodeText({ text, encoding: 'utf16le' });
  }
};

/**
 * @returns undefined when there is no such file. Throws UnsafeFileError for anything but a plain file of a few
 *   megabytes.
 */
export const findText = async (
  files: ConfinedFiles,
  path: string,
  codePage?: CodePage,
): Promise<TextContent | undefined> => {
  const bytes = await files.findBytes(path);
  return bytes && decodeText(bytes, codePage);
};

/** For replacing a file that the terminal itself reads and writes, and that contains no secrets. */
export const TERMINAL_FILE = { mode: 0o644 };

/** Undefined for a file that is not plain, or too large: a terminal's folder is untrusted. */
export const unlessUnsafe = async <Result>(act: () => Promise<Result>): Promise<Result | undefined> => {
  try {
    return await act();
  } catch (error) {
    if (error instanceof UnsafeFileError) return undefined;
    throw error;
  }
};
