/** Files in the form of those that real terminals write; README.md says what each follows. All accounts and names are invented. */
export interface CorpusFile {
  /** Unique, also in README.md. */
  name: string;
  kind: 'chart' | 'order' | 'settings' | 'journal';
  platform: 'mt5' | 'mt4';
  bytes: Buffer;
}

const withCrlf = (text: string): string => text.replace(/\r?\n/g, '\r\n');

/** UTF-16 with a mark and CRLF, as MetaTrader 5 writes everything. */
export const toWide = (text: string): Buffer => Buffer.from(`\ufeff${withCrlf(text)}`, 'utf16le');

/** One byte for each character, as MetaTrader 4 writes everything. */
export const toNarrow = (text: string): Buffer => Buffer.from(withCrlf(text), 'latin1');
