/** Lines of a log as they are shown. Pure. */

export interface LogLine {
  time: string;
  source: string;
  text: string;
  /** How many characters of the text are left out: a line may have a quarter of a million. */
  cut: number;
  tone: 'bad' | 'plain';
}

const MAX_SHOWN = 2_000;
const BAD = /\b(?:fail(?:ed|ure)?|error|denied|invalid|cannot|rejected|lost)\b/i;

/** `time TAB source TAB text`; a line in another format is text only. */
export const toLogLine = (line: string): LogLine => {
  const [time = '', source = '', ...texts] = line.split('\t');
  const isWhole = texts.length > 0;
  const text = isWhole ? texts.join('\t') : line;
  return {
    time: isWhole ? time.slice(0, 23) : '',
    source: isWhole ? source.slice(0, 120) : '',
    text: text.slice(0, MAX_SHOWN),
    cut: Math.max(0, text.length - MAX_SHOWN),
    tone: BAD.test(text.slice(0, MAX_SHOWN)) ? 'bad' : 'plain',
  };
};

/** Lines that contain the text, ignoring case. */
export const toMatching = (lines: readonly string[], contains: string): readonly string[] => {
  if (contains === '') return lines;
  const wanted = contains.toLowerCase();
  return lines.filter((line) => line.toLowerCase().includes(wanted));
};
