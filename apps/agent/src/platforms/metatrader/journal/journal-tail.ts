import { join } from 'node:path';
import { findEndMarks, getFileSize, listDayFiles, readDayFile, toCurrentFiles, type JournalMarks } from './day-file.ts';
import type { JournalLine } from './journal-line.ts';

/**
 * Reads what a folder of day files gains, in order. At midnight the next file begins; the old one is read to its end
 * first. When the clock is set back, an earlier file grows again: only what it gains is new. Calls must not overlap.
 */
export class JournalTail {
  readonly folder: string;
  readonly #marks: Map<string, number>;
  /** The file that was written to last, as far as we know. */
  #current: string | undefined;

  /** @param marks where to go on; a file without a mark is new from its first line on. */
  constructor(folder: string, marks: JournalMarks = new Map()) {
    this.folder = folder;
    this.#marks = new Map(marks);
    this.#current = [...marks.keys()].at(-1);
  }

  /** A tail that gives out only what is written from now on. */
  static async fromEnd(folder: string): Promise<JournalTail> {
    return new JournalTail(folder, await findEndMarks(folder));
  }

  /** Everything new, as far as it is complete. */
  async read(): Promise<JournalLine[]> {
    const lines: JournalLine[] = [];
    if (this.#current !== undefined) await this.#readFile(this.#current, lines);
    const currentFiles = toCurrentFiles(Date.now());
    // To look at every file each time would cost too much in a folder of years.
    const mayGrow = (file: string) => !this.#marks.has(file) || currentFiles.includes(file);
    for (const file of (await listDayFiles(this.folder)).filter(mayGrow)) await this.#readFile(file, lines);
    return lines;
  }

  async #readFile(file: string, lines: JournalLine[]): Promise<void> {
    const path = join(this.folder, file);
    const size = await getFileSize(path);
    const mark = this.#marks.get(file) ?? 0;
    // A file that shrank was replaced: it is read as a new one.
    const offset = size < mark ? 0 : mark;
    if (size > offset || !this.#marks.has(file)) this.#current = file;
    this.#marks.set(file, size > offset ? await readDayFile(path, offset, (line) => lines.push(line)) : offset);
  }
}
