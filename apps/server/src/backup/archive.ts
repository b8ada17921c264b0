/**
 * The file of a backup: a compressed tar, written by the system's own `tar`. It appears whole or not at all, with mode
 * 0600.
 */
import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, link, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';

/** A file changed while it was read, as files of a running terminal do. Worse problems have other codes. */
const CHANGED = 1;

/** The exit code of `env` for a program that is not found. */
const MISSING = 127;

/** @returns what it printed */
const tar = async (args: readonly string[], signal: AbortSignal): Promise<string> => {
  const running = promisify(execFile)('env', ['LC_ALL=C', 'tar', ...args], { maxBuffer: 64 * 1024 * 1024, signal });
  const closed = new Promise((resolve) => running.child.once('close', resolve).once('error', resolve));
  try {
    return (await running).stdout;
  } catch (error) {
    // An aborted call rejects before its process has ended.
    await closed;
    signal.throwIfAborted();
    const { code, stderr, message } = error as Error & { code?: unknown; stderr?: string };
    if (code === CHANGED && /changed as we read it|removed before we read it/.test(stderr ?? '')) return '';
    if (code === MISSING) throw new Error('backups need the program "tar", and there is none here', { cause: error });
    throw new Error(`tar failed: ${(stderr || message).trim()}`, { cause: error });
  }
};

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Flushes what was written to disk, so that a power cut right after "done" loses nothing. */
export const syncFile = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  // eslint-disable-next-line typescript/no-misused-promises -- it is waited for
  await handle.sync().finally(() => handle.close());
};

/** Flushes a folder's names. Some file systems do not support that, and a write-only folder cannot be opened for it. */
export const syncFolder = async (path: string): Promise<void> => {
  try {
    await syncFile(path);
  } catch (error) {
    if (!/^E(ACCES|PERM|INVAL|ISDIR|NOTSUP)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
};

/** A folder with everything in it; anything that is neither file nor folder is only a name in its folder. */
export const syncTree = async (folder: string, signal: AbortSignal): Promise<void> => {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    signal.throwIfAborted();
    if (entry.isDirectory()) await syncTree(join(folder, entry.name), signal);
    else if (entry.isFile()) await syncFile(join(folder, entry.name));
  }
  await syncFolder(folder);
};

/** A tar that is still being written. */
export class Draft {
  readonly path: string;
  readonly #signal: AbortSignal;

  constructor(path: string, signal: AbortSignal) {
    this.path = path;
    this.#signal = signal;
  }

  /** Adds those of the entries that the folder has. */
  async add(folder: string, names: readonly string[], excluded: readonly string[] = []): Promise<void> {
    const found: string[] = [];
    for (const name of names) if (await isThere(join(folder, name))) found.push(name);
    const exclusions = excluded.map((name) => `--exclude=${name}`);
    if (found.length > 0) await tar(['-rf', this.path, ...exclusions, '-C', folder, ...found], this.#signal);
  }

  /** Compresses it, and gives it its final name once it is on disk. @throws when a file of that name exists */
  async finish(file: string): Promise<void> {
    const compressed = `${this.path}.gz`;
    try {
      await pipeline(
        createReadStream(this.path),
        createGzip(),
        createWriteStream(compressed, { flags: 'wx', mode: 0o600 }),
        { signal: this.#signal },
      );
      await syncFile(compressed);
      await link(compressed, file);
      await syncFolder(dirname(file));
    } finally {
      await rm(compressed, { force: true });
    }
  }
}

/**
 * The entries of a backup with these names, and what is in them. All of it is read: a part that is missing or damaged is
 * an error. @throws when one of the names is not in it
 */
export const listEntries = async (file: string, names: readonly string[], signal: AbortSignal): Promise<string[]> =>
  (await tar(['-tzf', file, ...names], signal)).split('\n');

/** Unpacks a backup into an existing folder. Everything in it will belong to the user who runs this. */
export const unpack = async (file: string, folder: string, signal: AbortSignal): Promise<void> => {
  await tar(['-xzf', file, '--no-same-owner', '-C', folder], signal);
};
