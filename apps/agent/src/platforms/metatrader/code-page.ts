/** The 8-bit text of programs without Unicode, which is in the code page of their Windows. */
import { StepFailure } from './step-failure.ts';

/** Windows' code pages for such programs, by what `TextDecoder` calls them. */
const encodings: Readonly<Record<number, string>> = {
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  ...Object.fromEntries(Array.from({ length: 9 }, (_, index) => [1250 + index, `windows-${1250 + index}`])),
};

/** From 0x80: some versions of Node.js decode windows-1252 as Latin-1. */
const FROM_0x80 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Windows reads these first bytes of 932, and writes the same letters in another way. */
const NEVER_WRITTEN = new Set([0xed, 0xee]);

/** A byte that is no letter is kept as half of a surrogate pair. */
const KEPT_BYTES = 0xdc00;
const isKeptByte = (unit: number): boolean => unit >= KEPT_BYTES + 0x80 && unit <= KEPT_BYTES + 0xff;

const isLetter = (text: string): boolean => text.length === 1 && text !== '\ufffd';

/** Letters by their bytes: one, or a first and a second. */
const createLetters = (id: number, encoding: string): Map<number, string> => {
  const decoder = new TextDecoder(encoding);
  const decode = (...bytes: number[]): string => decoder.decode(Uint8Array.from(bytes));
  const letters = new Map<number, string>();
  for (let first = 0; first < 0x100; first += 1) {
    const letter = (id === 1252 ? FROM_0x80[first - 0x80] : undefined) ?? decode(first);
    if (isLetter(letter)) letters.set(first, letter);
    else if (id < 1000 && !(id === 932 && NEVER_WRITTEN.has(first))) {
      for (let second = 0x30; second < 0x100; second += 1) {
        const pair = decode(first, second);
        if (isLetter(pair)) letters.set(first * 0x100 + second, pair);
      }
    }
  }
  return letters;
};

export class CodePage {
  readonly id: number;
  readonly #letters: ReadonlyMap<number, string>;
  readonly #bytes = new Map<string, number>();

  constructor(id: number, encoding: string) {
    this.id = id;
    this.#letters = createLetters(id, encoding);
    for (const [bytes, letter] of this.#letters) if (!this.#bytes.has(letter)) this.#bytes.set(letter, bytes);
  }

  /** `encode` restores every byte. */
  decode(bytes: Buffer): string {
    let text = '';
    for (let at = 0; at < bytes.length; at += 1) {
      const first = bytes[at] ?? 0;
      const pair = first * 0x100 + (bytes[at + 1] ?? 0);
      const [one, two] = [this.#findLetter(first), this.#findLetter(pair)];
      if (one === undefined && two !== undefined) at += 1;
      text += one ?? two ?? String.fromCharCode(KEPT_BYTES + first);
    }
    return text;
  }

  /** Throws E_UNSUPPORTED for a letter that the code page does not have. */
  encode(text: string): Buffer {
    const missing = this.findMissing(text);
    if (missing !== undefined) throw new StepFailure('E_UNSUPPORTED', toMissingText(this, missing));
    const bytes = Array.from({ length: text.length }, (_, at) => this.#toBytes(text, at));
    return Buffer.from(bytes.flatMap((each) => (each > 0xff ? [each >> 8, each & 0xff] : [each])));
  }

  /** The first letter that the code page does not have. */
  findMissing(text: string): string | undefined {
    return [...text].find((letter) => !this.#bytes.has(letter) && !isKeptByte(letter.charCodeAt(0)));
  }

  #toBytes(text: string, at: number): number {
    return this.#bytes.get(text.charAt(at)) ?? text.charCodeAt(at) - KEPT_BYTES;
  }

  /** A letter that has several codes is read from the one that is written. */
  #findLetter(bytes: number): string | undefined {
    const letter = this.#letters.get(bytes);
    return letter !== undefined && this.#bytes.get(letter) === bytes ? letter : undefined;
  }
}

/** For a person. */
export const toMissingText = ({ id }: CodePage, letter: string): string =>
  `The terminal's files are in code page ${id} of Windows, which has no "${letter}".`;

const known = new Map<number, CodePage>();

/** @returns undefined for an unknown one, and for UTF-8. The tables of one with two bytes take a moment */
export const findCodePage = (id: number | undefined): CodePage | undefined => {
  const encoding = id === undefined ? undefined : encodings[id];
  if (id === undefined || encoding === undefined) return undefined;
  const codePage = known.get(id) ?? new CodePage(id, encoding);
  known.set(id, codePage);
  return codePage;
};
