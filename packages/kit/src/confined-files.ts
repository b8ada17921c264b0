import { randomBytes } from 'node:crypto';
import { relative } from 'node:path';
import type { FileHandle } from 'node:fs/promises';
import { DRAFT_ENDING } from './durable-file.ts';
import { assertPart, SafeDirectory, UnsafeFileError, type Owner } from './safe-directory.ts';

export interface ConfinedFilesOptions {
  /** A folder of our own: nobody else can replace it. */
  anchor: string;
  /**
   * Below the anchor; it and everything below it is under hostile control. If we are root, its owner becomes the owner
   * of what is created here.
   */
  home: string;
  /** Where relative paths start; the home or a folder below it. */
  root: string;
}

/** A larger file is not a settings file, chart or list of charts; larger kinds are read with an explicit limit. */
export const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** Throws UnsafeFileError for a path that leaves the folder, whether or not it exists. */
const toParts = (path: string): string[] => {
  const parts = path.split(/[\\/]+/).filter((part) => part !== '' && part !== '.');
  for (const part of parts) assertPart(part);
  return parts;
};

const toMissing = (path: string): Error =>
  Object.assign(new Error(`ENOENT: there is no ${JSON.stringify(path)} in the terminal's folder`), { code: 'ENOENT' });

/** Reads up to a limit; a file that grows meanwhile is read up to that limit. */
const readUpTo = async (file: FileHandle, maxBytes: number): Promise<Buffer> => {
  const content = Buffer.allocUnsafe(maxBytes);
  let length = 0;
  while (length < maxBytes) {
    const { bytesRead } = await file.read(content, length, maxBytes - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return content.subarray(0, length);
};

/**
 * The files of a box's home, which belongs to an untrusted program (see `SafeDirectory`). Paths are relative, with
 * parts separated by `/` or `\`. They are looked up without regard to case, because Windows does not distinguish
 * `Config` from `config`: an existing one is used, and a second one is never created beside it.
 */
export class ConfinedFiles {
  readonly #anchor: string;
  readonly #toHome: string[];
  readonly #toRoot: string[];

  constructor({ anchor, home, root }: ConfinedFilesOptions) {
    this.#anchor = anchor;
    this.#toHome = toParts(relative(anchor, home));
    this.#toRoot = toParts(relative(home, root));
  }

  /**
   * The content of a file. @returns undefined where there is none. Throws UnsafeFileError for anything but a plain
   * file, or for a larger one
   */
  async findBytes(path: string, maxBytes: number = MAX_TEXT_BYTES): Promise<Buffer | undefined> {
    const file = await this.#within(path, (folder, name) => folder.findFile(name));
    if (!file) return undefined;
    try {
      const { size } = await file.stat();
      const content = size > maxBytes ? undefined : await readUpTo(file, Math.min(size + 1, maxBytes));
      if (content && content.length <= size) return content;
      throw new UnsafeFileError(`${JSON.stringify(path)} is larger than ${maxBytes} bytes, or grows while it is read.`);
    } finally {
      await file.close();
    }
  }

  /** Whether a plain file exists. */
  async hasFile(path: string): Promise<boolean> {
    const stats = await this.#within(path, (folder, name) => folder.findStats(name));
    return stats?.isFile() ?? false;
  }

  /** Size and time of the last change of a plain file. @returns undefined where there is none */
  async findStats(path: string): Promise<{ size: number; mtimeMs: number } | undefined> {
    const stats = await this.#within(path, (folder, name) => folder.findStats(name));
    return stats?.isFile() ? { size: stats.size, mtimeMs: stats.mtimeMs } : undefined;
  }

  /** Replaces a file as a whole; missing folders are created. */
  async replaceFile(path: string, content: Buffer | string, { mode = 0o600 } = {}): Promise<void> {
    const parts = toParts(path);
    const { folder, owner } = await this.#ensure(parts.slice(0, -1));
    try {
      const name = await findName(folder, parts.at(-1) ?? '');
      const draft = `${name}.${randomBytes(4).toString('hex')}${DRAFT_ENDING}`;
      await folder.replaceFile(name, content, draft, { mode, ...(owner ? { owner } : {}) });
    } finally {
      await folder.close();
    }
  }

  /** Truncates a file in place. Throws where there is none. */
  async emptyFile(path: string): Promise<void> {
    const isEmptied = await this.#within(path, (folder, name) => folder.emptyFile(name));
    if (!isEmptied) throw toMissing(path);
  }

  async removeFile(path: string): Promise<void> {
    await this.#within(path, (folder, name) => folder.removeFile(name));
  }

  /** Removes drafts of the file left by a program that was killed while it replaced it. */
  async removeDrafts(path: string): Promise<void> {
    await this.#within(path, async (folder, file) => {
      const { names } = await folder.listNames();
      const drafts = names.filter((name) => name.startsWith(`${file}.`) && name.endsWith(DRAFT_ENDING));
      for (const name of drafts) await folder.removeFile(name);
    });
  }

  /** Opens a folder, creating it if missing. The caller closes it. */
  async ensureFolder(path: string): Promise<SafeDirectory> {
    return (await this.#ensure(toParts(path))).folder;
  }

  /** Opens a folder. The caller closes it. @returns undefined where there is none */
  async findFolder(path: string): Promise<SafeDirectory | undefined> {
    return this.#find(toParts(path));
  }

  /** Acts on a name in its folder, which is then closed. @returns undefined where there is no such folder */
  async #within<Result>(
    path: string,
    act: (folder: SafeDirectory, name: string) => Promise<Result>,
  ): Promise<Result | undefined> {
    const parts = toParts(path);
    const folder = await this.#find(parts.slice(0, -1));
    try {
      return folder && (await act(folder, await findName(folder, parts.at(-1) ?? '')));
    } finally {
      await folder?.close();
    }
  }

  async #findAnchor(): Promise<SafeDirectory | undefined> {
    try {
      return await SafeDirectory.open(this.#anchor);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** The spelling of the parts up to the root is ours. */
  async #find(parts: readonly string[]): Promise<SafeDirectory | undefined> {
    const known = [...this.#toHome, ...this.#toRoot];
    const anchor = await this.#findAnchor();
    return (
      anchor &&
      walk(anchor, [...known, ...parts], async (folder, part, depth) => {
        const exact = await folder.findFolder(part);
        if (exact || depth < known.length) return exact;
        const spelling = await findSpelling(folder, part);
        return spelling === undefined ? undefined : folder.findFolder(spelling);
      })
    );
  }

  async #ensure(parts: readonly string[]): Promise<{ folder: SafeDirectory; owner: Owner | undefined }> {
    const anchor = await this.#findAnchor();
    const home = anchor && (await walk(anchor, this.#toHome, (folder, part) => folder.findFolder(part)));
    if (!home) throw toMissing(this.#toHome.join('/'));
    const owner = process.getuid?.() === 0 ? await home.getOwner() : undefined;
    const below = [...this.#toRoot, ...parts];
    const folder = await walk(home, below, async (held, part, depth) => {
      const exact = depth < this.#toRoot.length ? part : await findName(held, part);
      return held.ensureFolder(exact, owner);
    });
    if (!folder) throw new UnsafeFileError('A folder of the terminal was made and is gone again.');
    return { folder, owner };
  }
}

/** Opens folder after folder, closing each once the next is open. @returns the last; undefined where one is missing */
const walk = async (
  start: SafeDirectory,
  parts: readonly string[],
  enter: (folder: SafeDirectory, part: string, depth: number) => Promise<SafeDirectory | undefined>,
): Promise<SafeDirectory | undefined> => {
  let held: SafeDirectory | undefined = start;
  for (const [depth, part] of parts.entries()) {
    const from: SafeDirectory = held;
    try {
      held = await enter(from, part, depth);
    } finally {
      await from.close();
    }
    if (!held) return undefined;
  }
  return held;
};

const findSpelling = async (folder: SafeDirectory, name: string): Promise<string | undefined> => {
  const wanted = name.toLowerCase();
  return (await folder.listNames()).names.find((each) => each.toLowerCase() === wanted);
};

/** The name as spelt in the folder; unchanged where it has no match. */
const findName = async (folder: SafeDirectory, name: string): Promise<string> => {
  if (await folder.findStats(name)) return name;
  return (await findSpelling(folder, name)) ?? name;
};
