import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostBase } from '@berth/contract/agent';
import type { Platform } from '@berth/contract/values';
import { ConfinedFiles } from '@berth/kit';
import type { Box, Program, Screen } from '../../../../launchers/launcher.ts';
import { mt4Dialect, mt5Dialect, type Dialect } from '../../dialect.ts';
import type { Edition, EditionTiming, MainWindow } from '../../edition.ts';
import type { LinkProgram } from '../../link/link-form.ts';
import { RealWindow } from '../window/real-window.ts';

/**
 * How long the driver waits for a real terminal before it draws conclusions from silence. Each wait ends with its
 * event. docs/platforms/metatrader.md has the same table for people; the deadlines of tasks (`catalogue.ts` of the
 * contract) leave room for them.
 *
 * A line may reach the disk long after it was written: 15 s and more were seen on build 6230. Whatever waits for a line
 * of the journal waits at least `LATE_LINE_MS`.
 */
const LATE_LINE_MS = 30_000;

export const REAL_WAITS: EditionTiming = {
  /**
   * Our own choice. The banner comes 3 s after the files are unpacked, and then all examples are compiled, in 128 s at
   * most (build 5147). Whether the window waits for that is unknown: that, and half as much again for a busy host.
   */
  startMs: 180_000,
  /** A first login took 178 s, and its line reached the disk 15 s later (build 6230): that, and half as much again. */
  loginSilenceMs: 300_000,
  /** Loaded 1 to 3 s after the start, and perhaps not before the examples are compiled: 128 s, and its line may be late. */
  expertLoadMs: 130_000 + LATE_LINE_MS,
  /** A symbol's time-out comes after 5 min 07 s, and its line may be late. */
  expertSettleMs: 307_000 + LATE_LINE_MS,
  /** An EA whose code runs fails, if at all, 2 to 5 s after it was loaded; the line may be late. */
  expertSpokenMs: LATE_LINE_MS,
  /** Our own choice: a script of ours, which nobody has run on a real terminal. */
  scriptMs: 120_000,
  /** The line comes within a second, and may be late on the disk. */
  toggleMs: LATE_LINE_MS,
  /**
   * Our own choice. 64 stops took 3.7 s at most. A killed terminal loses its charts, while a hung one only costs this
   * time: that, and twelve times as much for Wine and a busy host.
   */
  politeStopMs: 45_000,
  /** 225 losses in four months: 113 changes of the access point, back after 1.1 s in the median, and 112 others below 10 s. */
  linkHoldMs: 15_000,
  /** Loaded 1 to 3 s after the start. */
  reloadMs: LATE_LINE_MS,
  /** Our own choice: without an announced update no terminal came back by itself; it is restarted after this. */
  exitSettleMs: 30_000,
  /**
   * The program is copied in the meantime, on MetaTrader 4 by a separate updater: away for 4 to 105 s in eight updates.
   */
  updateSettleMs: 180_000,
};

/** One of the vendor's programs, as its bases contain it. */
export interface RealProgram {
  platform: Platform;
  dialect: Dialect;
  /** Below drive C; `prepare-base` puts it there. */
  folderName: string;
  fileName: string;
  /** Below the installation. */
  showAllSymbols: string;
}

/** The bases that the host has of one platform. */
export interface RealBases {
  /** The folder of the base that new terminals are made from. Throws a LauncherError (`missing`) where there is none. */
  getCurrentFolder(): Promise<string>;
  list(): Promise<HostBase[]>;
  /** The base with the newest link program; undefined where no base has one. */
  findLinkBase?(): Promise<{ folder: string; record: { link?: { version: string } | null } } | undefined>;
  /** The build on which a terminal stays, by the base that it was created from. @param folder of the terminal */
  findPinnedBuild(folder: string): Promise<number | null>;
}

export interface RealEditionOptions {
  program: RealProgram;
  bases: RealBases;
  /** Further environment of the terminals, such as the time zone. */
  environment?: Record<string, string>;
  timing?: Partial<EditionTiming>;
}

/** MetaTrader 5 or 4 itself: from a base that was prepared on the host, operated through its window. */
export class RealEdition implements Edition {
  readonly platform: Platform;
  readonly dialect: Dialect;
  readonly timing: EditionTiming;
  readonly folderName: string;
  readonly #options: RealEditionOptions;

  constructor(options: RealEditionOptions) {
    this.#options = options;
    this.platform = options.program.platform;
    this.dialect = options.program.dialect;
    this.folderName = options.program.folderName;
    this.timing = { ...REAL_WAITS, ...options.timing };
  }

  ensureBase(): Promise<string> {
    return this.#options.bases.getCurrentFolder();
  }

  listBases(): Promise<HostBase[]> {
    return this.#options.bases.list();
  }

  toProgram(root: string): Program {
    const { fileName } = this.#options.program;
    return { command: [join(root, fileName)], folder: root, mark: fileName };
  }

  /** Journals are written in local time: the terminal's day must be ours. (A TZ like `UTC-3` has no name here.) */
  toEnvironment(): Record<string, string> {
    return { TZ: Intl.DateTimeFormat().resolvedOptions().timeZone, ...this.#options.environment };
  }

  window(screen: Screen): MainWindow {
    return new RealWindow(screen, this.#options.program.fileName);
  }

  /** Berth may not distribute the vendor's compiler: the script is compiled on the host, into the base. */
  async findShowAllSymbols(): Promise<Buffer | undefined> {
    const { folderName, showAllSymbols } = this.#options.program;
    const base = await this.ensureBase();
    return readFile(join(base, 'prefix', 'drive_c', folderName, showAllSymbols)).catch(() => undefined);
  }

  /** Compiled on the host as well, by `prepare-base`. */
  async findLinkProgram(): Promise<LinkProgram | undefined> {
    const base = await this.#options.bases.findLinkBase?.();
    const { link } = base?.record ?? {};
    if (!base || !link) return undefined;
    // An installer or a compiler that ran in the base's box may have left a link to any file of this host.
    const home = join(base.folder, 'prefix', 'drive_c');
    const confined = new ConfinedFiles({ anchor: base.folder, home, root: join(home, this.folderName) });
    const found = await Promise.all(
      this.dialect.link.programs.map(async ({ path }) => ({ path, content: await confined.findBytes(path) })),
    );
    const files = found.flatMap(({ path, content }) => (content ? [{ path, content }] : []));
    return files.length === found.length ? { version: link.version, files } : undefined;
  }

  findPinnedBuild({ folder }: Box): Promise<number | null> {
    return this.#options.bases.findPinnedBuild(folder);
  }

  /** Only the terminal knows its broker's access points; it writes its own ping to its journal. */
  async findBrokerEndpoint(): Promise<undefined> {
    return undefined;
  }
}

/** The vendor's programs, where `prepare-base` puts them. */
export const realPrograms = {
  mt5: {
    platform: 'mt5',
    dialect: mt5Dialect,
    folderName: 'mt5',
    fileName: 'terminal64.exe',
    showAllSymbols: 'MQL5/Scripts/ShowAllSymbols.ex5',
  },
  mt4: {
    platform: 'mt4',
    dialect: mt4Dialect,
    folderName: 'mt4',
    fileName: 'terminal.exe',
    showAllSymbols: 'MQL4/Scripts/ShowAllSymbols.ex4',
  },
} as const satisfies Record<string, RealProgram>;
