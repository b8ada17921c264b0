/**
 * A terminal may fill its folder, whose size the system does not limit: with data, or with empty files until the volume
 * runs out of inodes. Folders are measured now and then, from outside, one terminal at a time; a terminal that exceeds
 * its limit, that grows fastest while the volume fills up, or that cannot be measured, is ended and not started again
 * until there is space.
 *
 *   running ── too large, grows most while the volume is full, or ──▶ ended, noted ── start: room again ──▶ running
 *              not measured three times in a row                         └── start: none, or unknown ──▶ refused (disk)
 */
import { readFile, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile, type Logger } from '@berth/kit';
import { LauncherError } from '../launcher.ts';
import { measureDiskUse, type DiskUse } from './disk-use.ts';

/**
 * A terminal that writes 500 MB per second has filled 30 GB between two measurements; the system limits the size of a
 * file.
 */
const LOOK_MS = 60_000;
/** In a row. A terminal can prevent a measurement, and would have no limit then; a busy host seldom fails so often. */
const MAX_UNMEASURED_LOOKS = 3;
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

type Resource = keyof DiskUse;

const resources: readonly Resource[] = ['bytes', 'entries'];

/** Why a terminal was ended: for the log, and for whoever starts it again. */
const reasons = {
  excess: 'because it took more than it may have',
  growth: 'because it grew most',
  unmeasured: `because its files could not be measured ${MAX_UNMEASURED_LOOKS} times in a row`,
} as const;

/** The least and the most growth between two looks that is asked for. */
const growthRange: Record<Resource, readonly [least: number, most: number]> = {
  bytes: [MEBIBYTE, 64 * MEBIBYTE],
  entries: [100, 1000],
};

/**
 * How much a terminal must have grown to be ended for a shortage: by a quarter of what is missing, because that explains
 * it, and by no more than 64 MiB, because that is too much on any full volume. What others took is never blamed on one
 * that wrote a line: less than 1 MiB is no reason. Pure.
 */
export const toLeastGrowth = (resource: Resource, missing: number): number => {
  const [least, most] = growthRange[resource];
  return Math.min(Math.max(missing / 4, least), most);
};

export interface DiskWatchOptions {
  limits: DiskLimits;
  lookMs?: number;
  log: Logger;
}

/** Watches the folders of all running terminals of a host. */
export class DiskWatch {
  readonly #limits: DiskLimits;
  readonly #lookMs: number;
  readonly #log: Logger;
  readonly #uses = new Map<string, { now: DiskUse; growth: DiskUse }>();
  /** The looks in a row at which a terminal could not be measured. */
  readonly #unmeasured = new Map<string, number>();
  readonly #looked = new Map<string, number>();
  #isMeasuring = false;
  /** Whether the log has reported a shortage that no terminal explains. */
  #hasTold = false;
  #measurement: { folder: string; abort: AbortController; ended: Promise<unknown> } | undefined;

  constructor({ limits, lookMs = LOOK_MS, log }: DiskWatchOptions) {
    this.#limits = limits;
    this.#lookMs = lookMs;
    this.#log = log;
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
      .catch((error: unknown) =>
        this.#log.warn({ err: error, folder }, 'a terminal kept its disk; it is looked at again'),
      )
      .finally(() => {
        this.#isMeasuring = false;
        this.#looked.set(folder, performance.now());
      });
  }

  /** Throws a LauncherError (`disk`) for a terminal that was ended for lack of space, while there is still none. */
  async assertRoom(folder: string): Promise<void> {
    const note = join(folder, NOTE);
    const text = await readFile(note, 'utf8').catch(() => undefined);
    if (text === undefined) return;
    const use = await measureDiskUse(folder);
    if (!use) throw new LauncherError('disk', UNMEASURED_TEXT);
    const excess = this.#findExcess(use);
    if (excess) throw new LauncherError('disk', excessTexts[excess](use[excess], this.#limits.most[excess]));
    if (await this.#findShortage(folder)) {
      const { reason = 'growth' } = JSON.parse(text) as { reason?: keyof typeof reasons };
      const end = `this terminal was ended ${reasons[reason]}`;
      throw new LauncherError('disk', `The disk of the host is full; ${end}. Free some space on it.`);
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
    this.#clear(folder);
    this.#looked.delete(folder);
  }

  #clear(folder: string): void {
    this.#uses.delete(folder);
    this.#unmeasured.delete(folder);
  }

  async #look(watched: WatchedFolder, running: () => readonly WatchedFolder[]): Promise<void> {
    const { folder } = watched;
    const abort = new AbortController();
    const ended = measureDiskUse(folder, abort.signal);
    this.#measurement = { folder, abort, ended };
    const now = await ended.finally(() => (this.#measurement = undefined));
    if (abort.signal.aborted) return;
    if (now) {
      const before = this.#uses.get(folder)?.now ?? now;
      const growth = { bytes: now.bytes - before.bytes, entries: now.entries - before.entries };
      this.#uses.set(folder, { now, growth });
    }
    const unmeasured = now ? 0 : (this.#unmeasured.get(folder) ?? 0) + 1;
    this.#unmeasured.set(folder, unmeasured);
    if (unmeasured >= MAX_UNMEASURED_LOOKS) return this.#end(watched, 'unmeasured');
    if (now && this.#findExcess(now)) return this.#end(watched, 'excess');
    await this.#relieve(folder, running);
  }

  /** Ends the terminal that explains a shortage of the volume, if there is one. */
  async #relieve(folder: string, running: () => readonly WatchedFolder[]): Promise<void> {
    const short = await this.#findShortage(folder);
    if (!short) {
      this.#hasTold = false;
      return;
    }
    const { resource, missing } = short;
    const toGrowth = (one: WatchedFolder) => this.#uses.get(one.folder)?.growth[resource] ?? 0;
    const [fastest] = [...running()].sort((one, other) => toGrowth(other) - toGrowth(one));
    if (fastest && toGrowth(fastest) >= toLeastGrowth(resource, missing)) return this.#end(fastest, 'growth');
    if (this.#hasTold) return;
    this.#hasTold = true;
    const text =
      'the disk of the terminals is short of space, and none has grown enough to explain it; free some on it';
    this.#log.warn({ folder, short_of: resource, missing }, text);
  }

  /** Recorded first: whoever sees it ended must not start it again. What it grew by is not held against it twice. */
  async #end({ folder, end }: WatchedFolder, reason: keyof typeof reasons): Promise<void> {
    this.#log.warn({ folder }, `a terminal is ended ${reasons[reason]}`);
    await replaceFile(join(folder, NOTE), JSON.stringify({ version: 1, reason }));
    await end();
    this.#clear(folder);
  }

  #findExcess(use: DiskUse): Resource | undefined {
    return resources.find((resource) => use[resource] > this.#limits.most[resource]);
  }

  /** The resource that the volume is short of, and how much of it is missing. */
  async #findShortage(folder: string): Promise<{ resource: Resource; missing: number } | undefined> {
    const { bavail, bsize, files, ffree } = await statfs(folder);
    // Some file systems have no inode table, and report 0.
    const free: DiskUse = { bytes: bavail * bsize, entries: files === 0 ? Infinity : ffree };
    return resources
      .map((resource) => ({ resource, missing: this.#limits.leastFree[resource] - free[resource] }))
      .find(({ missing }) => missing > 0);
  }
}

const UNMEASURED_TEXT =
  "The terminal's files cannot be measured, so nobody knows how much room they take; it was ended. " +
  'Remove files that its programs make without end, and start it again.';

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
