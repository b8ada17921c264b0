import { paint, toPlainText, type Page } from '@berth/command';

const MAX_CELL = 60;

/** Rows below their headings. What others have chosen, such as names, cannot draw on the window. */
export const toTable = (
  page: Page,
  head: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string => {
  const cells = [head, ...rows.map((row) => row.map((cell) => toPlainText(String(cell ?? '-'), MAX_CELL)))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const toLine = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const [first = '', ...rest] = cells.map(toLine);
  return `${[paint(page, 'dim', first), ...rest].join('\n')}\n`;
};
