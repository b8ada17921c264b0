/**
 * A folder that is held open, of which a hostile program may own everything: it swaps folders for links and files for FIFOs
 * while we work, and fills them without end.
 *
 * What is held is the folder itself, not its name: the next part of a path is opened below it (`/proc/self/fd/N/name`), and
 * a link is never followed, at no depth and at no moment. So nothing outside of the first folder is ever read or written,
 * whatever is swapped meanwhile. Where there is no /proc (macOS, Windows) each part is looked at before it is used, by
 * its plain path: that finds links that stand there, not those that are put there in between.
 */
import { constants, existsSync, type Stats } from 'node:fs';
import { lstat, mkdir, open, opendir, rename, rm, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/** What stands in a folder is nothing that is read or written: a link, a FIFO, a device, too much. For a person. */
export class UnsafeFileError extends Error {
  override readonly name = 'UnsafeFileError';
}

/** Who gets what is made. */
export interface Owner {
  uid: number;
  gid: number;
}

/** Something in a held folder, as it was when it was looked at. */
export interface Entry {
  stats: Stats;
  /** Holds it, where it is a folder still. As `SafeDirectory.findFolder`. */
  findFolder: () => Promise<SafeDirectory | undefined>;
}

/** Some of these do not exist on every system. A FIFO is opened without waiting, a terminal line without becoming ours. */
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

/** Of a folder that is asked for its names; a terminal has some dozens of files in one. */
const MAX_NAMES = 10_000;
const NAMES_AT_ONCE = 256;

let hasDescriptorPaths: boolean | undefined;
/** Asked once, and not while the module is loaded. */
const canNameDescriptors = (): boolean => (hasDescriptorPaths ??= existsSync('/proc/self/fd'));

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** What the system says of a thing that is not what it is taken for. */
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

/** Throws UnsafeFileError unless it is a name of one part: no way up, no way further down. */
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

/** @returns undefined where there is no such name. Throws UnsafeFileError for what only looks like it. */
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
  // A second name may be one outside; the terminal itself never makes any.
  if (stats.nlink > 1) throw new UnsafeFileError(`${JSON.stringify(name)} is a file of several names.`);
};

export class SafeDirectory {
  /** By this the folder is found whatever it is called now; only while it is held. */
  readonly path: string;
  readonly #handle: FileHandle | undefined;

  private constructor(path: string, handle: FileHandle | undefined) {
    this.#handle = handle;
    this.path = handle ? `/proc/self/fd/${handle.fd}` : path;
  }

  /** Holds a folder by its path, whose links are followed: it must be one that nobody hostile can change. */
  static async open(path: string): Promise<SafeDirectory> {
    const handle = canNameDescriptors() ? await open(path, O_RDONLY | O_DIRECTORY) : undefined;
    return new SafeDirectory(path, handle);
  }

  /** Holds a folder in this one. @returns undefined where there is none. Throws UnsafeFileError for a link or a file. */
  async findFolder(name: string): Promise<SafeDirectory | undefined> {
    assertPart(name);
    return this.#findFolder(name);
  }

  /** As `findFolder`, with the folder made where there is none. @param owner who gets a new one */
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

  /** Opens a file to read. @returns undefined where there is none. Throws UnsafeFileError for what is no plain file. */
  async findFile(name: string): Promise<FileHandle | undefined> {
    return this.#openFile(name, O_RDONLY);
  }

  /** Takes a file's content away where it stands, which takes no room on a full disk. @returns false where there is none */
  async emptyFile(name: string): Promise<boolean> {
    const file = await this.#openFile(name, O_WRONLY);
    try {
      await file?.truncate(0);
      return file !== undefined;
    } finally {
      await file?.close();
    }
  }

  /** Of what has this name, a link not followed. @returns undefined where there is nothing */
  async findStats(name: string): Promise<Stats | undefined> {
    assertPart(name);
    return findUnlessMissing(name, () => lstat(join(this.path, name)));
  }

  /**
   * Replaces a file as a whole: it holds the old content or the new one. What has its name is replaced too when it is a
   * link, never what the link leads to.
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
      // The draft, or the folder itself, was taken away meanwhile.
      throw codeOf(error) === 'ENOENT' ? toGone(name) : toRefusal(name, error);
    }
    await this.#handle?.sync();
  }

  /** Removes a file, or a link; nothing where there is none. Throws UnsafeFileError for a folder. */
  async removeFile(name: string): Promise<void> {
    assertPart(name);
    await findUnlessMissing(name, () => unlink(join(this.path, name)));
  }

  /** The names in the folder, in no order. `isWhole` is false where there are more than are looked at. */
  async listNames(): Promise<{ names: string[]; isWhole: boolean }> {
    const names: string[] = [];
    for await (const name of this.#readNames()) {
      if (names.length === MAX_NAMES) return { names, isWhole: false };
      names.push(name);
    }
    return { names, isWhole: true };
  }

  /** What is in the folder, one after another and without an end where there is none; what vanishes is passed over. */
  async *readEntries(): AsyncGenerator<Entry> {
    for await (const name of this.#readNames()) {
      const path = join(this.path, name);
      const stats = await lstat(path).catch(() => undefined);
      if (stats) yield { stats, findFolder: () => this.#findFolder(name) };
    }
  }

  /** Who owns the folder itself. */
  async getOwner(): Promise<Owner> {
    const { uid, gid } = this.#handle ? await this.#handle.stat() : await lstat(this.path);
    return { uid, gid };
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  /** Names of the system's own are parts, whatever letters are in them. */
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
