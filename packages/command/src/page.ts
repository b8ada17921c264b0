/** Text for a person: coloured where possible, and never wider than the window. */

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

export type Style = keyof typeof codes;

/** The output device of a page. */
export interface Page {
  /** Columns of text. */
  width: number;
  hasColour: boolean;
}

/** Comfortable to read, however wide the window is. */
const MAX_WIDTH = 100;
/** For a file or a pipe, and for a window of unknown width. */
const DEFAULT_WIDTH = 80;
const MIN_WIDTH = 40;

/** @param stream where the page is written @param environment `NO_COLOR` and `TERM=dumb` are respected */
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

/** Wrap first: the length of coloured text cannot be counted. */
export const paint = ({ hasColour }: Page, style: Style, text: string): string =>
  hasColour ? `\u001b[${codes[style]}m${text}\u001b[0m` : text;

/** A control character would let text from others draw anything. */
// eslint-disable-next-line no-control-regex -- these are what must not reach a terminal window
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** Text from a program, a file or a server, as one line that is safe to print. */
export const toPlainText = (text: string, maxLength = 400): string => {
  const line = text.replace(CONTROL, ' ').replace(/ {2,}/g, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
};

/** Wraps a text between words. A word that is wider than the page, such as a path, has a line to itself. */
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

/** Wraps a text after a head, with all further lines indented under the first. */
export const hang = (head: string, text: string, width: number): string[] =>
  wrap(text, width - head.length).map((line, index) => (index === 0 ? head : ' '.repeat(head.length)) + line);
