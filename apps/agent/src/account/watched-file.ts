/**
 * One file of a terminal's exchange folder that is looked at again and again. The folder stays open, so that a look is
 * one call of the system; it is opened anew from time to time, and when the file is not there, since a terminal may
 * replace it.
 */
import type { SafeDirectory } from '@berth/kit';
import type { AccountExchange } from '../platforms/driver.ts';

/** A folder that was replaced is noticed after so many looks. */
const LOOKS_PER_OPENING = 40;

const readUpTo = async (file: NonNullable<Awaited<ReturnType<SafeDirectory['findFile']>>>, maxBytes: number) => {
  const { size } = await file.stat();
  if (size > maxBytes) return undefined;
  const content = Buffer.allocUnsafe(size);
  const { bytesRead } = await file.read(content, 0, size, 0);
  return content.subarray(0, bytesRead);
};

export class WatchedFile {
  readonly #name: string;
  readonly #maxBytes: number;
  #folder: SafeDirectory | undefined;
  #looks = 0;
  #seen = '';

  constructor(name: string, maxBytes: number) {
    this.#name = name;
    this.#maxBytes = maxBytes;
  }

  /**
   * The content, if the file changed since the last look. @returns undefined where it did not, or there is none. Throws
   * UnsafeFileError for anything but a plain file, RangeError for a larger one; each change is complained of once
   */
  async look(exchange: AccountExchange): Promise<Buffer | undefined> {
    const folder = await this.#open(exchange);
    const stats = await folder?.findStats(this.#name);
    if (!folder || !stats) {
      await this.close();
      return undefined;
    }
    const seen = `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
    if (seen === this.#seen) return undefined;
    this.#seen = seen;
    const file = await folder.findFile(this.#name);
    try {
      const content = file && (await readUpTo(file, this.#maxBytes));
      if (file && !content) throw new RangeError(`larger than ${this.#maxBytes} bytes`);
      return content;
    } finally {
      await file?.close();
    }
  }

  async close(): Promise<void> {
    const folder = this.#folder;
    this.#folder = undefined;
    await folder?.close();
  }

  async #open({ files, folder }: AccountExchange): Promise<SafeDirectory | undefined> {
    this.#looks += 1;
    if (this.#looks % LOOKS_PER_OPENING === 0) await this.close();
    this.#folder ??= await files.findFolder(folder);
    return this.#folder;
  }
}
