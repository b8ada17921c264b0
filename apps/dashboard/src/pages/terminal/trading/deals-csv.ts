/**
 * Deals as a file for a spreadsheet (RFC 4180). Texts come from a terminal, and a cell that begins like a formula would
 * be carried out by the program that opens the file: such a text gets an apostrophe before it. Numbers stay as they are.
 */
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;
/** What Excel, LibreOffice and Google Sheets take for the beginning of a formula, also after blanks. */
const FORMULA = /^[\s\u00a0\ufeff]*[=+\-@\t\r\n＝＋－＠]/u;
const QUOTED = /[",;\r\n]/;

export const toCell = (value: string | number | null | undefined): string => {
  const text = value === null || value === undefined ? '' : String(value);
  const safe = !NUMBER.test(text) && FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** @returns lines that end in CRLF, after a byte order mark, by which Excel knows that it is UTF-8 */
export const toCsv = (
  names: readonly string[],
  rows: readonly (readonly (string | number | null | undefined)[])[],
): string => `\ufeff${[names, ...rows].map((row) => `${row.map(toCell).join(',')}\r\n`).join('')}`;
