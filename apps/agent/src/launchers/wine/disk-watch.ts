/**
 * A terminal may fill its folder, whose size the system does not limit: with data, or with empty files until the volume
 * runs out of inodes. Folders are measured now and then, from outside, one terminal at a time; a terminal that exceeds
 * its limit, or that grows fastest while the volume fills up, is ended and not started again until there is space.
 *
 *   running ── too large, or grows most while the volume is full ──▶ ended, noted ── start: room again ──▶ running
 *                                                                       └── start: none ──▶ refused (disk)
 */
import { execFile } from 'node:child_process';
import { readFile, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '@berth/kit';
import { LauncherError } from '../launcher.ts';
import { TOOL_PATH } from './host-tools.ts';

/**
 * A terminal that writes 500 MB per second has filled 30 GB between two measurements; the system limits the size of a
 * file.
 */
const LOOK_MS = 60_000;
/** Millions of files take long to count. Meanwhile no other terminal is measured. */
const MEASURE_MS = 300_000;
const NOTE = 'disk-full.json';
const MEBIBYTE = 1024 * 1024;

export interface DiskLimits {
  /** Of one terminal's folder. */
  most: DiskUse;
  /** Of the volume: with less of either, the terminal that uses it up fastest is ended. */
  leastFree: DiskUse;
}

export interface WatchedFolder {
  folder: string;
  end: () => Promise<void>;
}

/** What a folder uses of its volume, and what a volume has left. */
export interface DiskUse {
  bytes: number;
  /** Files, folders and links. */
  entries: number;
}

type Resource = keyof DiskUse;

const resources: readonly Resource[] = ['bytes', 'entries'];

const runDu = (options: readonly string[], folder: string, signal?: AbortSignal): Promise<number | undefined> =>
  new Promise((resolve) => {
    const environment = {
      env: { PATH: TOOL_PATH, LC_ALL: 'C' },
      cwd: '/',
      timeout: MEASURE_MS,
      maxBuffer: 1024 * 1024,
    };
    // du complains about folders it cannot enter, and counts the rest.
    const du = execFile('nice', ['-n', '19', 'du', '-sx', ...options, '--', folder], environment, (_error, stdout) => {
      signal?.removeEventListener('abort', end);
      const [, count] = /^(\d+)\t/.exec(stdout) ?? [];
      resolve(count === undefined ? undefined : Number(count));
    });
    // Not by execFile's own signal: that resolves before the process is gone.
    const end = (): void => void du.kill('SIGKILL');
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });

/** The disk usage of a folder; undefined where it could not be measured in time, or was aborted. */
export const measureFolder = async (folder: string, signal?: AbortSignal): Promise<DiskUse | undefined> => {
  const bytes = await runDu(['--block-size=1'], folder, signal);
  const entries = bytes === undefined ? undefined : await runDu(['--inodes'], folder, signal);
  return bytes === undefined || entries === undefined ? undefined : { bytes, entries };
};

/** Watches the folders of all running terminals of a host. */
export class DiskWatch {
  readonly #limits: DiskLimits;
  readonly #lookMs: number;
  readonly #uses = new Map<string, { now: DiskUse; growth: DiskUse }>();
  readonly #looked = new Map<string, number>();
  #isMeasuring = false;
  #measurement: { folder: string; abort: AbortController; ended: Promise<unknown> } | undefined;

  constructor(limits: DiskLimits, lookMs = LOOK_MS) {
    this.#limits = limits;
    this.#lookMs = lookMs;
  }

  /** Whether a folder is being measured. */
  get isMeasuring(): boolean {
    return this.#isMeasuring;
  }

  /** Call it often while a terminal runs. Returns immediately. */
  note(watched: WatchedFolder, running: () => readonly WatchedFolder[]): void {
    const { folder } = watched;
    const isDue = performance.now() - (this.#looked.get(folder) ?? -Infinity) >= this.#lookMs;
    if (this.#isMeasuring || !isDue) return;
    this.#isMeasuring = true;
    this.#look(watched, running)
      // It is measured again; a terminal that cannot be ended is reported by whatever tries to end it.
      .catch(() => undefined)
      .finally(() => {
        this.#isMeasuring = false;
        this.#looked.set(folder, performance.now());
      });
  }

  /** Throws a LauncherError (`disk`) for a terminal that was ended for lack of space, while there is still none. */
  async assertRoom(folder: string): Promise<void> {
    const note = join(folder, NOTE);
    if ((await readFile(note).catch(() => undefined)) === undefined) return;
    const use = await measureFolder(folder);
    const excess = use && this.#findExcess(use);
    if (use && excess) throw new LauncherError('disk', excessTexts[excess](use[excess], this.#limits.most[excess]));
    if (await this.#findShortage(folder)) {
      const text = `The disk of the host is full; this terminal was ended because it grew most. Free some space on it.`;
      throw new LauncherError('disk', text);
    }
    await rm(note, { force: true });
  }

  /** When it returns, nothing reads the folder any more. */
  async forget(folder: string): Promise<void> {
    const measurement = this.#measurement;
    if (measurement?.folder === folder) {
      measurement.abort.abort();
      await measurement.ended;
    }
    this.#uses.delete(folder);
    this.#looked.delete(folder);
  }

  async #measure(folder: string): Promise<DiskUse | undefined> {
    const abort = new AbortController();
    const ended = measureFolder(folder, abort.signal);
    this.#measurement = { folder, abort, ended };
    return ended.finally(() => (this.#measurement = undefined));
  }

  async #look(watched: WatchedFolder, running: () => readonly WatchedFolder[]): Promise<void> {
    const now = await this.#measure(watched.folder);
    if (now === undefined) return;
    const before = this.#uses.get(watched.folder)?.now ?? now;
    const growth = { bytes: now.bytes - before.bytes, entries: now.entries - before.entries };
    this.#uses.set(watched.folder, { now, growth });
    if (this.#findExcess(now)) return endForWantOfRoom(watched);
    const short = await this.#findShortage(watched.folder);
    if (!short) return;
    const toGrowth = ({ folder }: WatchedFolder) => this.#uses.get(folder)?.growth[short] ?? 0;
    const [fastest] = [...running()].sort((one, other) => toGrowth(other) - toGrowth(one));
    if (fastest && toGrowth(fastest) > 0) await endForWantOfRoom(fastest);
  }

  #findExcess(use: DiskUse): Resource | undefined {
    return resources.find((resource) => use[resource] > this.#limits.most[resource]);
  }

  /** The resource that the volume is short of. */
  async #findShortage(folder: string): Promise<Resource | undefined> {
    const { bavail, bsize, files, ffree } = await statfs(folder);
    // Some file systems have no inode table, and report 0.
    const free: DiskUse = { bytes: bavail * bsize, entries: files === 0 ? Infinity : ffree };
    return resources.find((resource) => free[resource] < this.#limits.leastFree[resource]);
  }
}

/** Recorded first: whoever sees it ended must not start it again. */
const endForWantOfRoom = async ({ folder, end }: WatchedFolder): Promise<void> => {
  await replaceFile(join(folder, NOTE), JSON.stringify({ version: 1 }));
  await end();
};

const excessTexts: Record<Resource, (taken: number, allowed: number) => string> = {
  bytes: (taken, allowed) => {
    const [takenMb, allowedMb] = [taken, allowed].map((size) => Math.round(size / MEBIBYTE));
    const advice = 'Remove files, or raise BERTH_AGENT_TERMINAL_DISK_MB on the host.';
    return `The terminal's files take ${takenMb} MB of the ${allowedMb} MB that it may have; it was ended. ${advice}`;
  },
  entries: (taken, allowed) => {
    const advice = 'Remove files, or raise BERTH_AGENT_TERMINAL_FILES on the host.';
    return `The terminal has ${taken} files of the ${allowed} that it may have; it was ended. ${advice}`;
  },
};
