/**
 * When a terminal that died is started again. Pure.
 *
 *   alive ──dies──▶ waiting ──back-off over──▶ (restart) ──▶ alive
 *                      ▲────────────fails or dies soon──────────┘   the back-off grows from 1 s to 60 s;
 *                                                                   STABLE_MS of life reset it
 *
 * A terminal with a running task is left alone: the task may have stopped it on purpose. The clock may be set: a wait
 * that is longer than any back-off results from a clock that was set back, and counts as over.
 */
import { toBackoffMs } from '@berth/kit';

const BACKOFF = { baseMs: 1_000, maxMs: 60_000 };
/** A terminal that lived this long has recovered. */
export const STABLE_MS = 5 * 60_000;

export interface Supervision {
  /** Restarts since the terminal last lived for STABLE_MS. */
  restarts: number;
  /** Since when it has been alive; undefined while it is dead. */
  aliveSinceMs: number | undefined;
  /** While it is dead: the earliest time of its restart. */
  restartAtMs: number;
}

/** A terminal that was not looked at yet: one that should run and does not is started immediately. */
export const newSupervision: Supervision = { restarts: 0, aliveSinceMs: undefined, restartAtMs: 0 };

export interface ProcessStatus {
  shouldRun: boolean;
  isAlive: boolean;
  isBusy: boolean;
}

/** One look at a terminal. @param random uniform in [0, 1) */
export const decideSupervision = (
  known: Supervision,
  seen: ProcessStatus,
  nowMs: number,
  random: () => number,
): { supervision: Supervision; shouldRestart: boolean } => {
  const leave = (supervision: Supervision) => ({ supervision, shouldRestart: false });
  if (!seen.shouldRun) return leave(newSupervision);
  if (seen.isBusy) return leave(known);
  const toRestartAtMs = (restarts: number) => nowMs + toBackoffMs(restarts, { ...BACKOFF, random });
  if (seen.isAlive) {
    const aliveSinceMs = Math.min(known.aliveSinceMs ?? nowMs, nowMs);
    const restarts = nowMs - aliveSinceMs >= STABLE_MS ? 0 : known.restarts;
    return leave({ restarts, aliveSinceMs, restartAtMs: 0 });
  }
  if (known.aliveSinceMs !== undefined) {
    return leave({ ...known, aliveSinceMs: undefined, restartAtMs: toRestartAtMs(known.restarts) });
  }
  const waitMs = known.restartAtMs - nowMs;
  if (waitMs > 0 && waitMs <= BACKOFF.maxMs) return leave(known);
  const restarts = known.restarts + 1;
  return {
    supervision: { restarts, aliveSinceMs: undefined, restartAtMs: toRestartAtMs(restarts) },
    shouldRestart: true,
  };
};
