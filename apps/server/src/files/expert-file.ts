/**
 * Files that are certainly no program of the terminals that they are given to. A real terminal would be stopped, and
 * started again, to find that out. Everything else is taken: what a compiled program begins with is not documented.
 */
import { isUtf8 } from 'node:buffer';
import type { HeldFile } from './queries.ts';

/** What to upload instead, by the ending of the file's name. */
const endings: Record<string, string> = {
  mq4: 'is source text. Compile it with MetaEditor (F7), and upload the .ex4 file.',
  mq5: 'is source text. Compile it with MetaEditor (F7), and upload the .ex5 file.',
  mqh: 'is source text. Compile the expert with MetaEditor (F7), and upload the .ex5 or .ex4 file.',
  zip: 'is an archive. Unpack it, and upload the .ex5 or .ex4 file in it.',
  rar: 'is an archive. Unpack it, and upload the .ex5 or .ex4 file in it.',
  '7z': 'is an archive. Unpack it, and upload the .ex5 or .ex4 file in it.',
  dll: 'is a library of Windows. Upload the .ex5 or .ex4 file of the expert.',
  exe: 'is a program of Windows. Upload the .ex5 or .ex4 file of the expert.',
  set: 'is a preset. Upload the .ex5 or .ex4 file, and give the values of the preset as inputs.',
};

/** Signatures of archives: ZIP, RAR and 7z. */
const archives = ['504b0304', '526172211a07', '377abcaf271c'].map((hex) => Buffer.from(hex, 'hex'));

/** Where a program of Windows says at which byte its header begins. */
const PE_OFFSET = 0x3c;

/** Two letters alone could begin any file, so the header that they announce has to be there. */
const isWindowsProgram = (head: Buffer): boolean => {
  if (head.toString('latin1', 0, 2) !== 'MZ' || head.length < PE_OFFSET + 4) return false;
  const header = head.readUInt32LE(PE_OFFSET);
  return head.toString('latin1', header, header + 4) === 'PE\0\0';
};

const toText = (head: Buffer): string => {
  if (head[0] === 0xff && head[1] === 0xfe) return head.toString('utf16le', 2);
  return isUtf8(head) ? head.toString('utf8').replace(/^\ufeff/, '') : head.toString('latin1');
};

/** The frame that MetaEditor begins sources with, and what else a source has first. */
const SOURCE = /^\s*(?:\/\/\+-{3}|#property\s|#include\s)/;
const PAGE = /^\s*<(?:!doctype html|html)\b/i;

const findKind = (head: Buffer): string | undefined => {
  if (archives.some((signature) => head.subarray(0, signature.length).equals(signature))) return endings.zip;
  if (isWindowsProgram(head)) return endings.exe;
  const text = toText(head);
  if (SOURCE.test(text)) return endings.mqh;
  return PAGE.test(text) ? 'is a web page. Download the expert itself, and upload its .ex5 or .ex4 file.' : undefined;
};

/** Terminals that an ending is not for. Those of the sandbox take both. */
const others: Record<string, { platform: string; text: string }> = {
  ex4: { platform: 'mt5', text: 'is for MetaTrader 4, the terminal is MetaTrader 5. Upload the .ex5 file.' },
  ex5: { platform: 'mt4', text: 'is for MetaTrader 5, the terminal is MetaTrader 4. Upload the .ex4 file.' },
};

/**
 * What is wrong with a file that is given as an expert, and what is needed, as the rest of a sentence about it; undefined
 * where nothing certainly is. Pure.
 */
export const findExpertFileFault = ({ name, head, platforms }: HeldFile): string | undefined => {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  if (Object.hasOwn(endings, ending)) return endings[ending];
  const other = Object.hasOwn(others, ending) ? others[ending] : undefined;
  return other && platforms.includes(other.platform) ? other.text : findKind(head);
};
