/**
 * Lines of cells, as spreadsheets copy and save them. No cell goes over several lines: nothing of an account does, and a
 * stray quotation mark in a password spoils its own line at most.
 */
export type Separator = ',' | ';' | '\t';

/** The one that the first line has most of. */
export const findSeparator = (line: string): Separator => {
  const count = (separator: Separator): number => line.split(separator).length;
  return (['\t', ';', ','] as const).reduce((best, one) => (count(one) > count(best) ? one : best));
};

const cellPatterns: Record<Separator, RegExp> = {
  ',': / *"((?:[^"]|"")*)" *(?=,|$)|([^,]*)/y,
  ';': / *"((?:[^"]|"")*)" *(?=;|$)|([^;]*)/y,
  '\t': / *"((?:[^"]|"")*)" *(?=\t|$)|([^\t]*)/y,
};

/** The cells of a line: in quotation marks exactly as they are, others without blanks around them. */
export const toCells = (line: string, separator: Separator): string[] => {
  const pattern = cellPatterns[separator];
  const cells: string[] = [];
  pattern.lastIndex = 0;
  for (;;) {
    const [, quoted, plain = ''] = pattern.exec(line) ?? [];
    cells.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    if (pattern.lastIndex >= line.length) return cells;
    // Behind the separator.
    pattern.lastIndex += 1;
    if (pattern.lastIndex === line.length) return [...cells, ''];
  }
};

/** A text file as spreadsheets save it: UTF-8, UTF-16 with a mark, or the code page of an older Windows. */
export const decodeText = (bytes: Uint8Array): string => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
};
