import { join } from 'node:path';
import { findEndOffset, getFileSize, listDayFiles, readDayFile } from './day-file.ts';
import type { JournalLine } from './journal-line.ts';

/** A place between two lines. */
export interface JournalPosition {
  /** Name of the day file. */
  file: string;
  offset: number;
}

/**
 * Reads what a folder of day files gains, in order. At midnight the next file begins; the old one is read to its end
 * first. Calls must not overlap.
 */
export class JournalTail {
  readonly folder: string;
  #file: string | undefined;
  #offset: number;

  /** @param position where to go on; without one the tail begins with the folder's first line. */
  constructor(folder: string, position?: JournalPosition) {
    this.folder = folder;
    this.#file = position?.file;
    this.#offset = position?.offset ?? 0;
  }

  /** A tail that gives out only what is written from now on. */
  static async fromEnd(folder: string): Promise<JournalTail> {
    const file = (await listDayFiles(folder)).at(-1);
    return new JournalTail(
      folder,
      file === undefined ? file : { file, offset: await findEndOffset(join(folder, file)) },
    );
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
