/**
 * The disk usage of a folder, measured while an untrusted program may be writing in it. Each folder is opened from the
 * one that was opened before, and no link is followed, so that whatever is swapped meanwhile, nothing outside is read;
 * files are never opened. An endless tree is counted up to a limit.
 */
import { basename, dirname } from 'node:path';
import { SafeDirectory, FairSemaphore } from '@berth/kit';

const MAX_ENTRIES = 200_000;
const MAX_DEPTH = 40;
/** POSIX says so, whatever a file system's own block size is. */
const BLOCK_BYTES = 512;

/** One walk at a time, for all callers: disks are slow, and nobody is in a hurry. */
const semaphore = new FairSemaphore({ places: 1, perOwner: 1, maxWaiting: 10_000 });

interface Tally {
  bytes: number;
  entries: number;
}

const toBytes = ({ blocks, nlink }: { blocks: number; nlink: number }, isFolder: boolean): number =>
  (blocks * BLOCK_BYTES) / (isFolder ? 1 : Math.max(1, nlink));

/** Entries that vanish, or cannot be read, are skipped. */
const walk = async (held: SafeDirectory, depth: number, tally: Tally): Promise<void> => {
  for await (const { stats, findFolder } of held.readEntries()) {
    tally.entries += 1;
    if (tally.entries > MAX_ENTRIES) return;
    const isFolder = stats.isDirectory();
    tally.bytes += toBytes(stats, isFolder);
    if (isFolder && depth < MAX_DEPTH) await enter(findFolder, depth + 1, tally);
  }
};

const enter = async (find: () => Promise<SafeDirectory | undefined>, depth: number, tally: Tally): Promise<void> => {
  const held = await find().catch(() => undefined);
  try {
    if (held) await walk(held, depth, tally);
  } catch {
    // Removed while it was read.
  } finally {
    await held?.close();
  }
};

/** In bytes on disk; files with several names count proportionally. At most what `MAX_ENTRIES` files use. */
export const measureFolder = (path: string): Promise<number> =>
  semaphore.run('', async () => {
    const tally = { bytes: 0, entries: 0 };
    const parent = await SafeDirectory.open(dirname(path)).catch(() => undefined);
    // eslint-disable-next-line typescript/no-misused-promises -- it is waited for
    await enter(async () => parent?.findFolder(basename(path)), 0, tally).finally(() => parent?.close());
    return Math.round(tally.bytes);
  });

const AGAIN_MS = 5 * 60_000;

/** The size of one folder as of at most a few minutes ago, without anybody waiting for it. */
export class FolderSize {
  readonly #path: string;
  readonly #elapsedMs: () => number;
  #bytes: number | null = null;
  #measuredAtMs = -Infinity;
  #isUnderWay = false;

  constructor(path: string, elapsedMs: () => number = () => performance.now()) {
    this.#path = path;
    this.#elapsedMs = elapsedMs;
  }

  /** The last result, null before the first one; starts a new measurement if one is due. */
  look(): number | null {
    if (!this.#isUnderWay && this.#elapsedMs() - this.#measuredAtMs >= AGAIN_MS) void this.#measure();
    return this.#bytes;
  }

  async #measure(): Promise<void> {
    this.#isUnderWay = true;
    try {
      this.#bytes = await measureFolder(this.#path);
    } finally {
      this.#measuredAtMs = this.#elapsedMs();
      this.#isUnderWay = false;
    }
  }
}
