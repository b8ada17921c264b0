/**
 * How long the driver waits for a real terminal before it draws conclusions from silence. Each wait ends with its
 * event. docs/platforms/metatrader.md has the same table for people; the deadlines of tasks (`catalogue.ts` of the
 * contract) leave room for them.
 *
 * A line may reach the disk long after it was written: 15 s and more were seen on build 6230. Whatever waits for a line
 * of the journal waits at least `LATE_LINE_MS`.
 */
import type { EditionTiming } from '../../edition.ts';

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
