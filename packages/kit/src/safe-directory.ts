/**
 * An open folder of which an untrusted program may own everything: it may swap folders for links and files for FIFOs
 * while we work, and fill them without end.
 *
 * The folder itself is open, not its name: the next part of a path is opened relative to it (`/proc/self/fd/N/name`),
 * and a link is never followed, at any depth or time. So nothing outside of the first folder is ever read or written,
 * whatever is swapped meanwhile. Where there is no /proc (macOS) each part is checked before it is used, by its plain
 * path: that detects existing links, but not those that are created in between.
 */
import { constants, existsSync, type Stats } from 'node:fs';
import { lstat, mkdir, open, opendir, rename, rm, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/** Something in a folder must not be read or written: a link, a FIFO, a device, too much. For a person. */
export class UnsafeFileError extends Error {
  override readonly name = 'UnsafeFileError';
}

/** The owner of what is created. */
export interface Owner {
  uid: number;
  gid: number;
}

/** An entry of an open folder, as of when it was read. */
export interface Entry {
  stats: Stats;
  /** Opens it, if it is still a folder. Like `SafeDirectory.findFolder`. */
  findFolder: () => Promise<SafeDirectory | undefined>;
}

/**
 * Some of these do not exist on every system. A FIFO is opened without blocking, a terminal device without becoming our
 * controlling terminal.
 */
const {
  O_RDONLY,
  O_WRONLY,
  O_CREAT,
  O_EXCL,
  O_DIRECTORY = 0,
  O_NOFOLLOW = 0,
  O_NONBLOCK = 0,
  O_NOCTTY = 0,
} = constants;
const ONLY_THIS = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
const FOLDER = O_RDONLY | O_DIRECTORY | ONLY_THIS;

/** The limit when listing a folder; a terminal has a few dozen files in one. */
const MAX_NAMES = 10_000;
const NAMES_AT_ONCE = 256;

let hasDescriptorPaths: boolean | undefined;
/** Determined once, but not while the module is loaded. */
const canNameDescriptors = (): boolean => (hasDescriptorPaths ??= existsSync('/proc/self/fd'));

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** The system's errors for something of another type than expected. */
const REFUSALS = new Set([
  'ELOOP',
  'ENOTDIR',
  'EISDIR',
  'ENXIO',
  'ENAMETOOLONG',
  'EACCES',
  'EPERM',
  'ENODEV',
  'EMLINK',
]);
const NOT_EMPTY = new Set(['ENOTEMPTY', 'EEXIST']);

/** Throws UnsafeFileError unless it is a single path component. */
export const assertPart = (name: string): void => {
  if (name !== '' && name !== '.' && name !== '..' && !/[/\\\0]/.test(name)) return;
  throw new UnsafeFileError('A path inside a terminal must not climb, nor hold characters that no name has.');
};

const toRefusal = (name: string, cause: unknown): unknown =>
  REFUSALS.has(codeOf(cause) ?? '') || NOT_EMPTY.has(codeOf(cause) ?? '')
    ? new UnsafeFileError(
        `${JSON.stringify(name)} is not what it should be, a plain file or folder (${codeOf(cause)}).`,
        {
          cause,
        },
      )
    : cause;

const toGone = (name: string) => new UnsafeFileError(`${JSON.stringify(name)} was made and is gone again.`);

/** @returns undefined where there is no such name. Throws UnsafeFileError where something merely looks like it. */
const findUnlessMissing = async <Found>(name: string, find: () => Promise<Found>): Promise<Found | undefined> => {
  try {
    return await find();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw toRefusal(name, error);
  }
};

const assertPlain = (name: string, stats: Stats): void => {
  if (!stats.isFile())
    throw new UnsafeFileError(`${JSON.stringify(name)} is not a file, though it stands in its place.`);
  // A second hard link may be outside; the terminal itself never creates any.
  if (stats.nlink > 1) throw new UnsafeFileError(`${JSON.stringify(name)} is a file of several names.`);
};

export class SafeDirectory {
  /** Refers to the folder whatever its current name is; valid only while it is open. */
  readonly path: string;
  readonly #handle: FileHandle | undefined;

  private constructor(path: string, handle: FileHandle | undefined) {
    this.#handle = handle;
    this.path = handle ? `/proc/self/fd/${handle.fd}` : path;
  }

  /** Opens a folder by its path, following links: nobody hostile may be able to change it. */
  static async open(path: string): Promise<SafeDirectory> {
    const handle = canNameDescriptors() ? await open(path, O_RDONLY | O_DIRECTORY) : undefined;
    return new SafeDirectory(path, handle);
  }

  /**
   * Opens a folder in this one. @returns undefined where there is none. Throws UnsafeFileError for a link or a file.
   */
  async findFolder(name: string): Promise<SafeDirectory | undefined> {
    assertPart(name);
    return this.#findFolder(name);
  }

  /** Like `findFolder`, but creates the folder where there is none. @param owner of a new one */
  async ensureFolder(name: string, owner?: Owner): Promise<SafeDirectory> {
    const known = await this.findFolder(name);
    if (known) return known;
    await mkdir(join(this.path, name), { mode: 0o755 }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw toRefusal(name, error);
    });
    const made = await this.findFolder(name);
    if (!made) throw toGone(name);
    try {
      if (owner) await made.#handle?.chown(owner.uid, owner.gid);
      return made;
    } catch (error) {
      await made.close();
      throw error;
    }
  }

  /**
   * Opens a file for reading. @returns undefined where there is none. Throws UnsafeFileError for anything but a plain
   * file.
   */
  async findFile(name: string): Promise<FileHandle | undefined> {
    return this.#openFile(name, O_RDONLY);
  }

  /** Truncates a file in place, which takes no space on a full disk. @returns false where there is none */
  async emptyFile(name: string): Promise<boolean> {
    const file = await this.#openFile(name, O_WRONLY);
    try {
      await file?.truncate(0);
      return file !== undefined;
    } finally {
      await file?.close();
    }
  }

  /** Of the entry with this name, not following links. @returns undefined where there is none */
  async findStats(name: string): Promise<Stats | undefined> {
    assertPart(name);
    return findUnlessMissing(name, () => lstat(join(this.path, name)));
  }

  /**
   * Replaces a file as a whole: it has the old content or the new one. A link with this name is replaced itself, never
   * its target.
   */
  async replaceFile(name: string, content: Buffer | string, draft: string, options: { mode: number; owner?: Owner }) {
    for (const part of [name, draft]) assertPart(part);
    const [path, draftPath] = [join(this.path, name), join(this.path, draft)];
    try {
      const file = await open(draftPath, O_WRONLY | O_CREAT | O_EXCL | ONLY_THIS, options.mode);
      try {
        if (options.owner) await file.chown(options.owner.uid, options.owner.gid);
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draftPath, path);
    } catch (error) {
      await rm(draftPath, { force: true });
      // The draft, or the folder itself, was removed meanwhile.
      throw codeOf(error) === 'ENOENT' ? toGone(name) : toRefusal(name, error);
    }
    await this.#handle?.sync();
  }

  /** Removes a file, or a link; does nothing where there is none. Throws UnsafeFileError for a folder. */
  async removeFile(name: string): Promise<void> {
    assertPart(name);
    await findUnlessMissing(name, () => unlink(join(this.path, name)));
  }

  /** The names in the folder, unordered. `isWhole` is false where there are more than the limit. */
  async listNames(): Promise<{ names: string[]; isWhole: boolean }> {
    const names: string[] = [];
    for await (const name of this.#readNames()) {
      if (names.length === MAX_NAMES) return { names, isWhole: false };
      names.push(name);
    }
    return { names, isWhole: true };
  }

  /** The entries of the folder, one after another, possibly without end; those that vanish are skipped. */
  async *readEntries(): AsyncGenerator<Entry> {
    for await (const name of this.#readNames()) {
      const path = join(this.path, name);
      const stats = await lstat(path).catch(() => undefined);
      if (stats) yield { stats, findFolder: () => this.#findFolder(name) };
    }
  }

  /** The owner of the folder itself. */
  async getOwner(): Promise<Owner> {
    const { uid, gid } = this.#handle ? await this.#handle.stat() : await lstat(this.path);
    return { uid, gid };
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  /** Names from the system are single components, whatever characters they contain. */
  async *#readNames(): AsyncGenerator<string> {
    for await (const { name } of await opendir(this.path, { bufferSize: NAMES_AT_ONCE })) yield name;
  }

  async #findFolder(name: string): Promise<SafeDirectory | undefined> {
    const path = join(this.path, name);
    if (this.#handle) return findUnlessMissing(name, async () => new SafeDirectory(path, await open(path, FOLDER)));
    const stats = await findUnlessMissing(name, () => lstat(path));
    if (stats && !stats.isDirectory()) throw new UnsafeFileError(`${JSON.stringify(name)} is not a folder.`);
    return stats && new SafeDirectory(path, undefined);
  }

  async #openFile(name: string, access: number): Promise<FileHandle | undefined> {
    assertPart(name);
    const path = join(this.path, name);
    if (!this.#handle) {
      const stats = await findUnlessMissing(name, () => lstat(path));
      if (!stats) return undefined;
      assertPlain(name, stats);
    }
    const file = await findUnlessMissing(name, () => open(path, access | ONLY_THIS));
    try {
      if (file) assertPlain(name, await file.stat());
      return file;
    } catch (error) {
      await file?.close();
      throw error;
    }
  }
}
