import { join } from 'node:path';
import { findEndOffset, getFileSize, listDayFiles, readDayFile } from './day-file.ts';
import type { JournalLine } from './journal-line.ts';

/**
 * Reads what a folder of day files gains, in order. At midnight the next file begins; the old one is read to its end
 * first. Calls must not overlap.
 */
export class JournalTail {
  readonly folder: string;
  #file: string | undefined;
  #offset: number;

  private constructor(folder: string, file: string | undefined, offset: number) {
    this.folder = folder;
    this.#file = file;
    this.#offset = offset;
  }

  /** A tail that gives out only what is written from now on. */
  static async fromEnd(folder: string): Promise<JournalTail> {
    const file = (await listDayFiles(folder)).at(-1);
    return new JournalTail(folder, file, file === undefined ? 0 : await findEndOffset(join(folder, file)));
  }

  /** Everything new, as far as it is complete. */
  async read(): Promise<JournalLine[]> {
    const lines: JournalLine[] = [];
    for (;;) {
      if (this.#file !== undefined) await this.#readFile(join(this.folder, this.#file), lines);
      const current = this.#file ?? '';
      const next = (await listDayFiles(this.folder)).find((file) => file > current);
      if (next === undefined) return lines;
      this.#file = next;
      this.#offset = 0;
    }
  }

  async #readFile(path: string, lines: JournalLine[]): Promise<void> {
    const size = await getFileSize(path);
    // A file that shrank was replaced: it is read as a new one.
    if (size < this.#offset) this.#offset = 0;
    if (size > this.#offset) this.#offset = await readDayFile(path, this.#offset, (line) => lines.push(line));
  }
}
