import type { ConfinedFiles } from '@berth/kit';

/** How a text file stores its characters. The terminal reads all of them and writes `utf16le` with a byte order mark. */
export type TextEncoding = 'utf16le' | 'utf8-bom' | 'utf8' | 'latin1';

export interface TextContent {
  text: string;
  encoding: TextEncoding;
  /** Half a character with which UTF-16 breaks off, kept to be given back. */
  rest?: Buffer;
}

const UTF16LE_MARK = Buffer.from([0xff, 0xfe]);
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Decodes by byte order mark. Bytes that are no UTF-8 are read as Latin-1. `encodeText` gives every byte back. */
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

/** Encodes, mark included. Text that Latin-1 cannot hold becomes UTF-16, which the terminal reads as well. */
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

/** @returns undefined when there is no such file. Throws UnsafeFileError for what is no plain file of a few megabytes. */
export const findText = async (files: ConfinedFiles, path: string): Promise<TextContent | undefined> => {
  const bytes = await files.findBytes(path);
  return bytes && decodeText(bytes);
};

/** How a file is replaced that the terminal reads and writes itself, and that holds no secrets. */
export const TERMINAL_FILE = { mode: 0o644 };
