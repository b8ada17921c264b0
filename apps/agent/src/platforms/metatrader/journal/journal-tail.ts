import {
  findEndMarks,
  findEndOffset,
  getFileSize,
  listDayFiles,
  readDayFile,
  toCurrentFiles,
  type JournalMarks,
} from './day-file.ts';
import type { JournalFolder } from './journal-form.ts';
import { withDay, type JournalLine } from './journal-line.ts';

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
  /** So far, in all: what is read again, because its line is not complete, counts again. */
  readBytes = 0;

  /** @param marks where to continue; a file without a mark is new from its first line on */
  constructor(journal: JournalFolder, marks: JournalMarks = new Map()) {
    this.journal = journal;
    this.#marks = new Map(marks);
    this.#current = [...marks.keys()].at(-1);
  }

  /**
   * A tail of what is written from now on. It owns the folder from now on, even if this fails.
   * @param of.isWritten whether a terminal writes it at the moment
   */
  static async fromEnd(journal: JournalFolder, of?: { isWritten: boolean }): Promise<JournalTail> {
    try {
      return new JournalTail(journal, await findEndMarks(journal, of));
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
    for (const file of await this.#listGrowing()) {
      if (leftBytes <= 0) break;
      leftBytes -= await this.#readFile(file, leftBytes, lines);
    }
    this.hasMore = leftBytes <= 0;
    return lines;
  }

  /** Goes on at the current end. @returns how many bytes were left out */
  async skip(): Promise<number> {
    let skippedBytes = 0;
    const files = new Set([...(this.#current === undefined ? [] : [this.#current]), ...(await this.#listGrowing())]);
    for (const file of files) {
      const size = await getFileSize(this.journal.folder, file);
      const mark = this.#marks.get(file) ?? 0;
      if (size === mark) continue;
      const end = await findEndOffset(this.journal, file);
      skippedBytes += size < mark ? end : Math.max(0, end - mark);
      this.#marks.set(file, end);
      this.#current = file;
    }
    this.hasMore = false;
    return skippedBytes;
  }

  close(): Promise<void> {
    return this.journal.folder.close();
  }

  /** Checking every file each time would be too expensive in a folder with years of files. */
  async #listGrowing(): Promise<string[]> {
    const currentFiles = toCurrentFiles(Date.now());
    const files = await listDayFiles(this.journal.folder);
    if (this.#marks.size > MAX_MARKS) this.#forgetAllBut(files);
    return files.filter((file) => !this.#marks.has(file) || currentFiles.includes(file));
  }

  /** @returns how many bytes the complete lines have */
  async #readFile(file: string, maxBytes: number, lines: JournalLine[]): Promise<number> {
    const size = await getFileSize(this.journal.folder, file);
    const mark = this.#marks.get(file) ?? 0;
    // A file that shrank was replaced: it is read like a new one.
    const offset = size < mark ? 0 : mark;
    if (size > offset || !this.#marks.has(file)) this.#current = file;
    const read = { ...this.journal, file, offset, maxBytes };
    const take = (line: JournalLine) => lines.push(withDay(line, file));
    const end = size > offset ? await readDayFile(read, take) : { offset, readBytes: 0 };
    this.#marks.set(file, end.offset);
    this.readBytes += end.readBytes;
    return end.offset - offset;
  }

  #forgetAllBut(files: readonly string[]): void {
    const kept = new Set(files);
    for (const file of this.#marks.keys()) if (!kept.has(file)) this.#marks.delete(file);
  }
}
