import { randomBytes } from 'node:crypto';
import { relative } from 'node:path';
import type { FileHandle } from 'node:fs/promises';
import { DRAFT_ENDING } from './durable-file.ts';
import { assertPart, SafeDirectory, UnsafeFileError, type Owner } from './safe-directory.ts';

export interface ConfinedFilesOptions {
  /** A folder of our own: nobody else can put anything else in its place. */
  anchor: string;
  /** Below the anchor, and as all that follows in hostile hands. Who owns it gets what is made here, where we are root. */
  home: string;
  /** Where relative paths begin; the home or a folder below it. */
  root: string;
}

/** More is no settings file, no chart and no list of charts; what may be larger is asked for as such. */
export const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** Throws UnsafeFileError for a path that climbs, whether what it names is there or not. */
const toParts = (path: string): string[] => {
  const parts = path.split(/[\\/]+/).filter((part) => part !== '' && part !== '.');
  for (const part of parts) assertPart(part);
  return parts;
};

const toMissing = (path: string): Error =>
  Object.assign(new Error(`ENOENT: there is no ${JSON.stringify(path)} in the terminal's folder`), { code: 'ENOENT' });

/** Reads at most so many bytes; a file that grows meanwhile is read as far as that. */
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
 * The files of a box's home, which belongs to a hostile program (`SafeDirectory` says what that means). Paths are relative,
 * their parts separated by `/` or `\`; they are found without regard to case, because Windows does not tell `Config` from
 * `config`: whichever exists is the one, and a second one is never made beside it.
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

  /** Of a file. @returns undefined where there is none. Throws UnsafeFileError for what is no plain file, or more than that */
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

  /** Whether there is a plain file. */
  async hasFile(path: string): Promise<boolean> {
    const stats = await this.#within(path, (folder, name) => folder.findStats(name));
    return stats?.isFile() ?? false;
  }

  /** Size and time of the last change of a plain file. @returns undefined where there is none */
  async findStats(path: string): Promise<{ size: number; mtimeMs: number } | undefined> {
    const stats = await this.#within(path, (folder, name) => folder.findStats(name));
    return stats?.isFile() ? { size: stats.size, mtimeMs: stats.mtimeMs } : undefined;
  }

  /** Replaces a file as a whole, its folders made where they lack. */
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

  /** Takes a file's content away where it stands. Throws where there is none. */
  async emptyFile(path: string): Promise<void> {
    const isEmptied = await this.#within(path, (folder, name) => folder.emptyFile(name));
    if (!isEmptied) throw toMissing(path);
  }

  async removeFile(path: string): Promise<void> {
    await this.#within(path, (folder, name) => folder.removeFile(name));
  }

  /** Removes what a program that was killed while it replaced the file left beside it. */
  async removeDrafts(path: string): Promise<void> {
    await this.#within(path, async (folder, file) => {
      const { names } = await folder.listNames();
      const drafts = names.filter((name) => name.startsWith(`${file}.`) && name.endsWith(DRAFT_ENDING));
      for (const name of drafts) await folder.removeFile(name);
    });
  }

  /** Holds a folder, made where it lacks. The caller closes it. */
  async ensureFolder(path: string): Promise<SafeDirectory> {
    return (await this.#ensure(toParts(path))).folder;
  }

  /** Holds a folder. The caller closes it. @returns undefined where there is none */
  async findFolder(path: string): Promise<SafeDirectory | undefined> {
    return this.#find(toParts(path));
  }

  /** Acts on a name in its folder, which is let go of afterwards. @returns undefined where there is no such folder */
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

  /** The parts as far as the root are ours to spell. */
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

/** From folder to folder; each is let go of when the next is held. @returns the last; undefined where one is missing */
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

/** The name as the folder spells it; as given where it has none like it. */
const findName = async (folder: SafeDirectory, name: string): Promise<string> => {
  if (await folder.findStats(name)) return name;
  return (await findSpelling(folder, name)) ?? name;
};
