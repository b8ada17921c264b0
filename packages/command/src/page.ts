/** Text for a person: coloured where that is wanted, and never wider than the window. */

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

export type Style = keyof typeof codes;

/** What a page is written for. */
export interface Page {
  /** Columns of text. */
  width: number;
  hasColour: boolean;
}

/** Narrow enough to be read with ease, however wide the window is. */
const MAX_WIDTH = 100;
/** Of a file or a pipe, and of a window that does not tell. */
const DEFAULT_WIDTH = 80;
const MIN_WIDTH = 40;

/** @param stream where the page goes @param environment `NO_COLOR` and `TERM=dumb` are heeded */
export const toPage = (
  stream: { isTTY?: boolean; columns?: number },
  environment: Readonly<Record<string, string | undefined>>,
): Page => {
  const isWindow = stream.isTTY === true;
  const columns = (isWindow && stream.columns) || DEFAULT_WIDTH;
  const { NO_COLOR = '', TERM } = environment;
  return {
    width: Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, columns)),
    hasColour: isWindow && NO_COLOR === '' && TERM !== 'dumb',
  };
};

/** Wrap first: what is painted has no length that could be counted. */
export const paint = ({ hasColour }: Page, style: Style, text: string): string =>
  hasColour ? `\u001b[${codes[style]}m${text}\u001b[0m` : text;

/** A control character would let a text that others wrote draw what it likes. */
// eslint-disable-next-line no-control-regex -- these are what must not reach a terminal window
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** What a program, a file or a server said, in one line that is safe to print. */
export const toPlainText = (text: string, maxLength = 400): string => {
  const line = text.replace(CONTROL, ' ').replace(/ {2,}/g, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
};

/** Breaks a text between words. A word that is wider than the page, such as a path, stands alone in its line. */
export const wrap = (text: string, width: number): string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
};

/** Wraps a text behind a head, with all its other lines under the first. */
export const hang = (head: string, text: string, width: number): string[] =>
  wrap(text, width - head.length).map((line, index) => (index === 0 ? head : ' '.repeat(head.length)) + line);
