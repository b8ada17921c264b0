import { cutText } from '@berth/contract/values';
import { findTailOffset, readDayFile } from '../journal/day-file.ts';
import { toDayFileName } from '../journal/journal-line.ts';
import { assertInstalled, type TaskHandler } from './task-run.ts';
import { countWords } from './step-texts.ts';

const DEFAULT_LINES = 200;
/** A result is sent in one report together with others. */
const MAX_CHARACTERS = 256 * 1024;
/** Of a larger file only the end is read. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;

/** The last lines that fit. */
class LastLines {
  readonly #maxLines: number;
  readonly #lines: string[] = [];
  #characters = 0;
  hasDropped = false;

  constructor(maxLines: number) {
    this.#maxLines = maxLines;
  }

  add(line: string): void {
    this.#lines.push(cutText(line, MAX_CHARACTERS));
    this.#characters += this.#lines.at(-1)?.length ?? 0;
    while (this.#lines.length > this.#maxLines || this.#characters > MAX_CHARACTERS) {
      this.#characters -= this.#lines.shift()?.length ?? 0;
      this.hasDropped = true;
    }
  }

  toArray(): string[] {
    return this.#lines;
  }
}

/**
 * EA_LOGS. Reads the log of one day; works whether the terminal runs or not. Lines are `time TAB source TAB text`; one
 * that is not understood has neither time nor source.
 */
export const eaLogs: TaskHandler<'EA_LOGS'> = async ({ payload, terminal, steps, signal }) => {
  const { source = 'experts', date, lines: maxLines = DEFAULT_LINES, contains } = payload;
  assertInstalled(terminal);
  await steps.run('read_log', async () => {
    const file = date === undefined ? toDayFileName(new Date()) : `${date.replaceAll('-', '')}.log`;
    const { layout, journal: form } = terminal.edition.dialect;
    const folder = await terminal.home.files.findFolder(source === 'experts' ? layout.expertsLog : layout.journal);
    const last = new LastLines(maxLines);
    try {
      if (folder) {
        const offset = await findTailOffset({ folder, form }, file, MAX_LOG_BYTES);
        last.hasDropped = offset > 0;
        const add = (line: string): void => {
          signal.throwIfAborted();
          if (contains === undefined || line.includes(contains)) last.add(line);
        };
        let isWithin = offset > 0;
        await readDayFile(
          { folder, form, file, offset, maxBytes: MAX_LOG_BYTES },
          ({ time, source: from, message }) => {
            isWithin = false;
            add(`${time}\t${from}\t${message}`);
          },
          (text) => {
            // Where a file is read from the middle, the first line is a part of one.
            if (!isWithin && text.trim() !== '') add(`\t\t${text}`);
            isWithin = false;
          },
        );
      }
    } finally {
      await folder?.close();
    }
    const lines = last.toArray();
    return { message: `Read ${countWords(lines.length, 'line')}.`, data: { lines, truncated: last.hasDropped } };
  });
};
