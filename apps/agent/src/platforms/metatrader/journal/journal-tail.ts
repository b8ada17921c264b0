import { findEndMarks, getFileSize, listDayFiles, readDayFile, toCurrentFiles, type JournalMarks } from './day-file.ts';
import type { JournalFolder } from './journal-form.ts';
import type { JournalLine } from './journal-line.ts';

/** Per read; the rest is left for the next one, so that nothing waits long for a terminal that writes without end. */
const MAX_BYTES_PER_READ = 256 * 1024;
/** A mark for each day file that exists or existed. */
const MAX_MARKS = 10_000;

/**
 * Reads what is appended to a folder of day files, in order. At midnight the next file starts; the old one is read to
 * its end first. When the clock is set back, an earlier file grows again: only the added part is new. Calls must not
 * overlap.
 */
export class JournalTail {
  /** Open until `close`. */
  readonly journal: JournalFolder;
  readonly #marks: Map<string, number>;
  /** The file that was written last, as far as we know. */
  #current: string | undefined;
  /** The last read reached its limit: there may be more. */
  hasMore = false;

  /** @param marks where to continue; a file without a mark is new from its first line on */
  constructor(journal: JournalFolder, marks: JournalMarks = new Map()) {
    this.journal = journal;
    this.#marks = new Map(marks);
    this.#current = [...marks.keys()].at(-1);
  }

  /** A tail of what is written from now on. It owns the folder from now on, even if this fails. */
  static async fromEnd(journal: JournalFolder): Promise<JournalTail> {
    try {
      return new JournalTail(journal, await findEndMarks(journal));
    } catch (error) {
      await journal.folder.close();
      throw error;
    }
  }

  /** New complete lines; if there are many, in several reads. */
  async read(): Promise<JournalLine[]> {
    const lines: JournalLine[] = [];
    let leftBytes = MAX_BYTES_PER_READ;
    if (this.#current !== undefined) leftBytes -= await this.#readFile(this.#current, leftBytes, lines);
    const currentFiles = toCurrentFiles(Date.now());
    // Checking every file each time would be too expensive in a folder with years of files.
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
    // A file that shrank was replaced: it is read like a new one.
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
