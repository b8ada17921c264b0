import type { ConfinedFiles } from '@berth/kit';

/** The encoding of a text file. The terminal reads all of them and writes `utf16le` with a byte order mark. */
export type TextEncoding = 'utf16le' | 'utf8-bom' | 'utf8' | 'latin1';

export interface TextContent {
  text: string;
  encoding: TextEncoding;
  /** Half a UTF-16 code unit at the end, kept so that it can be written back. */
  rest?: Buffer;
}

const UTF16LE_MARK = Buffer.from([0xff, 0xfe]);
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Decodes by byte order mark. Bytes that are not UTF-8 are read as Latin-1. `encodeText` restores every byte. */
export const decodeText = (bytes: Buffer): TextContent => {
  if (bytes.subarray(0, 2).equals(UTF16LE_MARK)) {
    const rest = bytes.subarray(bytes.length - (bytes.length % 2));
    return { text: bytes.toString('utf16le', 2), encoding: 'utf16le', ...(rest.length > 0 ? { rest } : {}) };
  }
  const hasMark = bytes.subarray(0, 3).equals(UTF8_MARK);
  const plain = hasMark ? bytes.subarray(3) : bytes;
  const text = plain.toString('utf8');
  return Buffer.from(text, 'utf8').equals(plain)
    ? { text, encoding: hasMark ? 'utf8-bom' : 'utf8' }
    : { text: bytes.toString('latin1'), encoding: 'latin1' };
};

/** Encodes, including the byte order mark. Text outside of Latin-1 becomes UTF-16, which the terminal reads as well. */
export const encodeText = ({ text, encoding, rest }: TextContent): Buffer => {
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
export const findText = async (files: ConfinedFiles, path: string): Promise<TextContent | undefined> => {
  const bytes = await files.findBytes(path);
  return bytes && decodeText(bytes);
};

/** For replacing a file that the terminal itself reads and writes, and that contains no secrets. */
export const TERMINAL_FILE = { mode: 0o644 };
