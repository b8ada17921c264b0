/**
 * A terminal may fill its folder, whose size nothing in the system bounds. It is measured now and then, from outside, one terminal
 * at a time; one that takes more than it may, or that grows most while the volume runs full, is ended and not started again until
 * there is room.
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

/** A terminal that writes 500 MB per second has filled 30 GB between two looks; its largest file is bounded by the system. */
const LOOK_MS = 60_000;
/** Millions of files take long to count. Meanwhile no other terminal is looked at. */
const MEASURE_MS = 300_000;
const NOTE = 'disk-full.json';
const MEBIBYTE = 1024 * 1024;

export interface DiskLimits {
  /** Of one terminal's folder. */
  maxBytes: number;
  /** Of the volume: with less, the terminal that grows most is ended. */
  minFreeBytes: number;
}

export interface WatchedFolder {
  folder: string;
  end: () => Promise<void>;
}

interface Size {
  bytes: number;
  growthBytes: number;
}

/** What the files of a folder take on the disk; undefined where that cannot be told in time. */
export const measureFolder = (folder: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    const options = { env: { PATH: TOOL_PATH, LC_ALL: 'C' }, cwd: '/', timeout: MEASURE_MS, maxBuffer: 1024 * 1024 };
    // Of folders that cannot be entered it complains, and counts the others.
    execFile('nice', ['-n', '19', 'du', '-sx', '--block-size=1', '--', folder], options, (_error, stdout) => {
      const [, bytes] = /^(\d+)\t/.exec(stdout) ?? [];
      resolve(bytes === undefined ? undefined : Number(bytes));
    });
  });

/** Watches the folders of all terminals of a host that run. */
export class DiskWatch {
  readonly #limits: DiskLimits;
  readonly #lookMs: number;
  readonly #sizes = new Map<string, Size>();
  readonly #looked = new Map<string, number>();
  #isMeasuring = false;

  constructor(limits: DiskLimits, lookMs = LOOK_MS) {
    this.#limits = limits;
    this.#lookMs = lookMs;
  }

  /** Whether a folder is being looked at. */
  get isMeasuring(): boolean {
    return this.#isMeasuring;
  }

  /** To be called often while a terminal runs. Returns at once. */
  note(watched: WatchedFolder, running: () => readonly WatchedFolder[]): void {
    const { folder } = watched;
    const isDue = performance.now() - (this.#looked.get(folder) ?? -Infinity) >= this.#lookMs;
    if (this.#isMeasuring || !isDue) return;
    this.#isMeasuring = true;
    this.#look(watched, running)
      // It is looked at again; a terminal that cannot be ended is told of by whoever ends it.
      .catch(() => undefined)
      .finally(() => {
        this.#isMeasuring = false;
        this.#looked.set(folder, performance.now());
      });
  }

  /** Throws a LauncherError (`disk`) for a terminal that was ended for want of room, while there is still none. */
  async assertRoom(folder: string): Promise<void> {
    const note = join(folder, NOTE);
    if ((await readFile(note).catch(() => undefined)) === undefined) return;
    const bytes = (await measureFolder(folder)) ?? 0;
    const { maxBytes, minFreeBytes } = this.#limits;
    if (bytes > maxBytes) throw new LauncherError('disk', toSizeText(bytes, maxBytes));
    if ((await findFreeBytes(folder)) < minFreeBytes) {
      const text = `The disk of the host is full; this terminal was ended because it grew most. Free some space on it.`;
      throw new LauncherError('disk', text);
    }
    await rm(note, { force: true });
  }

  forget(folder: string): void {
    this.#sizes.delete(folder);
    this.#looked.delete(folder);
  }

  async #look(watched: WatchedFolder, running: () => readonly WatchedFolder[]): Promise<void> {
    const bytes = await measureFolder(watched.folder);
    if (bytes === undefined) return;
    const before = this.#sizes.get(watched.folder)?.bytes ?? bytes;
    this.#sizes.set(watched.folder, { bytes, growthBytes: bytes - before });
    if (bytes > this.#limits.maxBytes) return endForWantOfRoom(watched);
    if ((await findFreeBytes(watched.folder)) >= this.#limits.minFreeBytes) return;
    const toGrowth = ({ folder }: WatchedFolder) => this.#sizes.get(folder)?.growthBytes ?? 0;
    const [fastest] = [...running()].sort((one, other) => toGrowth(other) - toGrowth(one));
    if (fastest && toGrowth(fastest) > 0) await endForWantOfRoom(fastest);
  }
}

/** Noted first: whoever sees it ended must not start it again. */
const endForWantOfRoom = async ({ folder, end }: WatchedFolder): Promise<void> => {
  await replaceFile(join(folder, NOTE), JSON.stringify({ version: 1 }));
  await end();
};

const findFreeBytes = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

const toSizeText = (bytes: number, maxBytes: number): string => {
  const [taken, allowed] = [bytes, maxBytes].map((size) => Math.round(size / MEBIBYTE));
  const advice = 'Remove files, or raise BERTH_AGENT_TERMINAL_DISK_MB on the host.';
  return `The terminal's files take ${taken} MB of the ${allowed} MB that it may have; it was ended. ${advice}`;
};
