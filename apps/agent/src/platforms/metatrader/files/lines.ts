/**
 * Lines of a file that the terminal also writes: each with its line ending, so that joined they are the file again,
 * including blank lines, a missing last line ending and unusual ones. A writer changes only the lines it means to, and
 * no other byte.
 */

/** How the terminal ends its lines. */
export const LINE_END = '\r\n';

/** Joined, they are the text. */
export const splitLines = (text: string): string[] => text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+/g) ?? [];

/** The line without its end. */
export const toContent = (line: string): string => line.replace(/[\r\n]+$/, '');

/** The line's ending; '' for the last line of a file that ends without one. */
export const toEnd = (line: string): string => line.slice(toContent(line).length);

/**
 * A line of a file. Every line that this program writes is created here, so this is where text with line breaks is
 * caught: it throws.
 */
export const toLine = (content: string, end = LINE_END): string => {
  if (/[\r\n]/.test(content)) throw new Error('a line of a file holds the end of a line');
  return content + end;
};

/** Replaces the content of a line; an unchanged one stays as it is. */
export const withContent = (line: string, content: string): string =>
  toContent(line) === content ? line : toLine(content, toEnd(line));

/** Inserts lines. A file without a final line ending stays without, and its previous last line gets one. */
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
