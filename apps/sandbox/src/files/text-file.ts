import { readFileSync, writeFileSync } from 'node:fs';

/**
 * The encoding of a text file. The terminal writes UTF-16LE with a byte order mark; people and programs also give it
 * the others.
 */
export type TextEncoding = 'utf-16le' | 'utf-8';

export const UTF16_MARK = Buffer.from([0xff, 0xfe]);

/** Charts, presets and start files are small; anything larger is not one of them. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Decodes by byte order mark; without one the text is UTF-8, and bytes that are not UTF-8 are read as Windows-1252. */
export const decodeText = (bytes: Buffer): string => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le', 2);
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.toString('utf8', 3);
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? new TextDecoder('windows-1252').decode(bytes) : text;
};

export const encodeText = (text: string, encoding: TextEncoding): Buffer =>
  encoding === 'utf-16le' ? Buffer.concat([UTF16_MARK, Buffer.from(text, 'utf16le')]) : Buffer.from(text, 'utf8');

/** The text of a file, or undefined where it is missing, unreadable or too large. */
export const findText = (path: string): string | undefined => {
  try {
    const bytes = readFileSync(path);
    return bytes.length > MAX_BYTES ? undefined : decodeText(bytes);
  } catch {
    return undefined;
  }
};

/** Throws on text with line breaks. */
export const assertNoLineEnd = (text: string): void => {
  if (/[\r\n]/.test(text)) throw new Error('a line of a file holds the end of a line');
};

/** Writes lines the way the terminal does: CRLF after each. Throws on one that contains a line break. */
export const writeLines = (path: string, lines: readonly string[], encoding: TextEncoding): void => {
  for (const line of lines) assertNoLineEnd(line);
  writeFileSync(path, encodeText(lines.map((line) => `${line}\r\n`).join(''), encoding));
};

export const toLines = (text: string): string[] => text.split(/\r\n|\n|\r/);
