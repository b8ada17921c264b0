/** One line of a journal or of the EAs' log. It has no date itself: that is the name of its file. */
export interface JournalLine {
  /** 0 information, 1 warning, 2 error. */
  level: number;
  /** HH:MM:SS.mmm, local time of the host. */
  time: string;
  /** '' where the program writes none. */
  source: string;
  /** May contain tabs. */
  message: string;
  /** The day and the time, as texts that sort; undefined where the line was not read from a day file. */
  at?: string;
}

const LINE = /^[^\t]*\t(\d)\t(\d\d:\d\d:\d\d\.\d{3})\t([^\t]*)\t([\s\S]*)$/;

/** @returns undefined for anything but a line of five columns (such as the further lines of a message) */
export const findJournalLine = (text: string): JournalLine | undefined => {
  const match = LINE.exec(text);
  if (!match) return undefined;
  const [, level = '0', time = '', source = '', message = ''] = match;
  return { level: Number(level), time, source, message };
};

const SHORT_LINE = /^(\d)\t(\d\d:\d\d:\d\d\.\d{3})\t([\s\S]*)$/;

/** Like `findJournalLine`, for three columns: without the letters and the source. */
export const findShortJournalLine = (text: string): JournalLine | undefined => {
  const match = SHORT_LINE.exec(text);
  if (!match) return undefined;
  const [, level = '0', time = '', message = ''] = match;
  return { level: Number(level), time, source: '', message };
};

const pad = (value: number): string => String(value).padStart(2, '0');

/** The name of the day file that holds the lines of a local day. */
export const toDayFileName = (day: Date): string =>
  `${day.getFullYear()}${pad(day.getMonth() + 1)}${pad(day.getDate())}.log`;

export const isDayFileName = (name: string): boolean => /^\d{8}\.log$/i.test(name);

/** @param file the day file of the line */
export const withDay = (line: JournalLine, file: string): JournalLine => ({
  ...line,
  at: `${file.slice(0, 8)} ${line.time}`,
});

/**
 * Errors that end an MQL program. Only the EAs' log has them; the journal says nothing of them, not even `removed`: the
 * program stays on its chart and never runs again. The terminal itself writes them, as warnings or errors. What a
 * program prints has level 0, whatever its text. `unresolved import function call` follows `cannot load 'x.dll'` and
 * `cannot find 'f' in 'x.dll'`.
 */
const FATAL = new RegExp(
  [
    'zero divide',
    'array out of range',
    'invalid pointer access',
    'incorrect casting of pointers',
    'unresolved import function call',
    'stack overflow',
    '(?:out of|not enough) memory (?:in|for)',
    'not initialized',
    'access violation',
    'unhandled exception',
  ]
    .map((text) => `^${text}\\b`)
    .join('|'),
  'i',
);

/** @param text the line without the program's name and place */
export const isFatal = ({ level }: Pick<JournalLine, 'level'>, text: string): boolean => level > 0 && FATAL.test(text);
