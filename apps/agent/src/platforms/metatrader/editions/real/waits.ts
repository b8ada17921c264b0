/**
 * How long the driver waits for a real terminal before it concludes something from silence. Each of them ends with its event.
 * docs/platforms/metatrader.md has the same table for people; the deadlines of tasks (`catalogue.ts` of the contract) leave room
 * for them.
 *
 * A line may come to the disk long after it was written: 15 s and more were seen on build 6230. Whatever waits for a line of
 * the journal waits at least `LATE_LINE_MS`.
 */
import type { EditionTiming } from '../../edition.ts';

const LATE_LINE_MS = 30_000;

export const REAL_WAITS: EditionTiming = {
  /** The first start unpacks and compiles the examples: MetaTrader 4 paused for 13 s on the way. Reports name up to 2 min. */
  startMs: 180_000,
  /** A first login took 178 s, and its line came to disk 15 s later (build 6230): that, and half as much again. */
  loginSilenceMs: 300_000,
  /** Loaded 1 to 3 s after the start, but not before the examples are compiled. */
  expertLoadMs: 90_000,
  /** A symbol's time-out comes after 5 min 07 s, and its line may be late. */
  expertSettleMs: 307_000 + LATE_LINE_MS,
  /** A helper script of ours; no evidence. */
  scriptMs: 120_000,
  /** The line comes within a second, and may be late on the disk. */
  toggleMs: LATE_LINE_MS,
  /** Saves charts and options; reports name 10 to 20 s. */
  politeStopMs: 45_000,
  /** 225 losses in four months: 113 changes of the access point, back after 1.1 s in the median, and 112 others below 10 s. */
  linkHoldMs: 15_000,
  /** Loaded 1 to 3 s after the start. */
  reloadMs: LATE_LINE_MS,
  /** A terminal that closes for an update is gone for some seconds. */
  exitSettleMs: 30_000,
  /** The program is copied meanwhile, on MetaTrader 4 by an updater of its own. No evidence for its length. */
  updateSettleMs: 180_000,
};
