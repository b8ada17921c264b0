/**
 * Lines of a file that the terminal writes, too: each with what ends it, so that together they are the file again, blank
 * lines, a missing last end and foreign ends included. A writer changes the lines that it means, and no other byte.
 */

/** How the terminal ends its lines. */
export const LINE_END = '\r\n';

/** Joined, they are the text. */
export const splitLines = (text: string): string[] => text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+/g) ?? [];

/** The line without its end. */
export const toContent = (line: string): string => line.replace(/[\r\n]+$/, '');

/** What ends the line; '' for the last line of a file that ends without. */
export const toEnd = (line: string): string => line.slice(toContent(line).length);

/**
 * A line of a file. Every line that this program writes is made here, so this is where a text that brings lines of its own
 * is found: it throws.
 */
export const toLine = (content: string, end = LINE_END): string => {
  if (/[\r\n]/.test(content)) throw new Error('a line of a file holds the end of a line');
  return content + end;
};

/** Another content for a line; one that has it already stays as it is. */
export const withContent = (line: string, content: string): string =>
  toContent(line) === content ? line : toLine(content, toEnd(line));

/** Puts lines in. A file that ended without an end of line does so still, and its last line becomes a whole one. */
export const insertLines = (lines: string[], at: number, contents: readonly string[]): void => {
  const end = lines.map(toEnd).find((each) => each !== '') ?? LINE_END;
  const last = lines.at(-1);
  const isBehindOpenLine = at === lines.length && last !== undefined && toEnd(last) === '';
  const added = contents.map((content) => toLine(content, end));
  if (isBehindOpenLine && last !== undefined && added.length > 0) {
    lines[at - 1] = last + end;
    added[added.length - 1] = toContent(added.at(-1) ?? '');
  }
  lines.splice(at, 0, ...added);
};
