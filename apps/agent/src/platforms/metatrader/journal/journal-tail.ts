import { findEndMarks, getFileSize, listDayFiles, readDayFile, toCurrentFiles, type JournalMarks } from './day-file.ts';
import type { JournalFolder } from './journal-form.ts';
import type { JournalLine } from './journal-line.ts';

/** Of one reading; what is left is read by the next one, so that nothing waits long for a terminal that writes without end. */
const MAX_BYTES_PER_READ = 256 * 1024;
/** A mark for each day file that there is, and for those that were. */
const MAX_MARKS = 10_000;

/**
 * Reads what a folder of day files gains, in order. At midnight the next file begins; the old one is read to its end
 * first. When the clock is set back, an earlier file grows again: only what it gains is new. Calls must not overlap.
 */
export class JournalTail {
  /** Held until `close`. */
  readonly journal: JournalFolder;
  readonly #marks: Map<string, number>;
  /** The file that was written to last, as far as we know. */
  #current: string | undefined;
  /** The last reading came to its bound: there may be more. */
  hasMore = false;

  /** @param marks where to go on; a file without a mark is new from its first line on. */
  constructor(journal: JournalFolder, marks: JournalMarks = new Map()) {
    this.journal = journal;
    this.#marks = new Map(marks);
    this.#current = [...marks.keys()].at(-1);
  }

  /** A tail that gives out only what is written from now on. The folder is the tail's from now on, also when this fails. */
  static async fromEnd(journal: JournalFolder): Promise<JournalTail> {
    try {
      return new JournalTail(journal, await findEndMarks(journal));
    } catch (error) {
      await journal.folder.close();
      throw error;
    }
  }

  /** What is new, as far as it is complete; a great deal in several readings. */
  async read(): Promise<JournalLine[]> {
    const lines: JournalLine[] = [];
    let leftBytes = MAX_BYTES_PER_READ;
    if (this.#current !== undefined) leftBytes -= await this.#readFile(this.#current, leftBytes, lines);
    const currentFiles = toCurrentFiles(Date.now());
    // To look at every file each time would cost too much in a folder of years.
    const mayGrow = (file: string) => !this.#marks.has(file) || currentFiles.includes(file);
    const files = await listDayFiles(this.journal.folder);
    if (this.#marks.size > MAX_MARKS) this.#forgetAllBut(files);
    for (const file of files.filter(mayGrow)) {
      if (leftBytes <= 0) break;
      leftBytes -= await this.#readFile(file, leftBytes, lines);
    }
    this.hasMore = leftBytes <= 0;
    return lines;
  }

  close(): Promise<void> {
    return this.journal.folder.close();
  }

  /** @returns how many bytes were read */
  async #readFile(file: string, maxBytes: number, lines: JournalLine[]): Promise<number> {
    const size = await getFileSize(this.journal.folder, file);
    const mark = this.#marks.get(file) ?? 0;
    // A file that shrank was replaced: it is read as a new one.
    const offset = size < mark ? 0 : mark;
    if (size > offset || !this.#marks.has(file)) this.#current = file;
    const read = { ...this.journal, file, offset, maxBytes };
    const end = size > offset ? await readDayFile(read, (line) => lines.push(line)) : offset;
    this.#marks.set(file, end);
    return end - offset;
  }

  #forgetAllBut(files: readonly string[]): void {
    const kept = new Set(files);
    for (const file of this.#marks.keys()) if (!kept.has(file)) this.#marks.delete(file);
  }
}
