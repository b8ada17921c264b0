import { MAX_ATTEMPTS_IN_HAND, type DeliveredTask } from '@berth/contract/agent';
import { type Logger, type Timing, toBackoffMs } from '@berth/kit';
import type { AttemptRunner } from '../../attempts/attempt-runner.ts';
import { repeatUntilAnswered } from '../../server/repeat-call.ts';
import type { AttemptKey, ServerCalls } from '../../server/server-calls.ts';

/**
 * After the journal refused a delivery (on a full disk, say). The next claim asks for it again, as long as its lease is
 * valid.
 */
const REFUSED_BACKOFF = { baseMs: 1_000, maxMs: 60_000 };

export interface ClaimOptions {
  server: Pick<ServerCalls, 'claim'>;
  runner: Pick<AttemptRunner, 'freeSlots' | 'slotFreed' | 'accept' | 'listInHand'>;
  /** How long a claim may wait at the server. */
  waitMs: number;
  timing: Timing;
  log: Logger;
}

/** Even if connections keep being cut, claims wait at least this long. */
const MIN_WAIT_MS = 1_000;

/**
 * How long the next claim waits at the server. A proxy that cuts off long waits may lose a delivery that was just being
 * answered: so the wait is halved after each claim without an answer, and lengthened again step by step.
 */
export const toNextWaitMs = (waitMs: number, isAnswered: boolean, maxMs: number): number =>
  isAnswered
    ? Math.min(maxMs, Math.ceil(waitMs * 1.25))
    : Math.max(Math.min(MIN_WAIT_MS, maxMs), Math.floor(waitMs / 2));

/**
 * Whether attempts may have been handed out to this session that never arrived here. A claim without an answer may have
 * been carried out; one whose connection broke on this side only may even still be waiting at the server, and be given
 * work later.
 */
class LostAnswers {
  readonly #waitMs: number;
  readonly #timing: Timing;
  readonly #signal: AbortSignal;
  #isPossible = false;
  /** Claims without an answer that may still wait at a server. */
  #waiting = 0;

  /** @param waitMs the longest that a claim waits at a server */
  constructor(waitMs: number, timing: Timing, signal: AbortSignal) {
    this.#waitMs = waitMs;
    this.#timing = timing;
    this.#signal = signal;
  }

  get isPossible(): boolean {
    return this.#isPossible;
  }

  /** Makes a claim, and records whether it was answered. */
  async watch<Result>(claim: () => Promise<Result>): Promise<Result> {
    // Claims that still wait while this one is in flight may be given something that it no longer sees.
    const isLast = this.#waiting === 0;
    try {
      const result = await claim();
      if (isLast) this.#isPossible = false;
      return result;
    } catch (error) {
      this.#isPossible = true;
      this.#waiting += 1;
      void this.#timing.sleep(this.#waitMs, this.#signal).then(() => (this.#waiting -= 1));
      throw error;
    }
  }

  /** A delivery arrived but could not be stored: it is as good as lost. */
  noteRefused(): void {
    this.#isPossible = true;
  }

  /** What is handed out again is known here: another claim would return the same. */
  noteKnown(): void {
    this.#isPossible = false;
  }
}

/** Claims work whenever a slot is free. Rejects on a fatal answer; resolves when the signal aborts. */
export const runClaimLoop = async (options: ClaimOptions, signal: AbortSignal): Promise<void> => {
  const { server, runner, waitMs: maxWaitMs, timing, log } = options;
  let waitMs = maxWaitMs;
  let refusals = 0;
  const lostAnswers = new LostAnswers(maxWaitMs, timing, signal);
  /**
   * Undefined when nothing was lost; or when there are more attempts than fit a call, in which case a lease has to
   * expire.
   */
  const toKnown = (): AttemptKey[] | undefined => {
    const inHand = lostAnswers.isPossible ? runner.listInHand() : [];
    return lostAnswers.isPossible && inHand.length <= MAX_ATTEMPTS_IN_HAND ? inHand : undefined;
  };
  const claim = async (slots: number): Promise<DeliveredTask[]> => {
    let isAnswered = false;
    try {
      const known = toKnown();
      const tasks = await lostAnswers.watch(() => server.claim({ slots, waitMs, known }, signal));
      isAnswered = true;
      return tasks;
    } finally {
      waitMs = toNextWaitMs(waitMs, isAnswered, maxWaitMs);
    }
  };
  while (!signal.aborted) {
    const slots = runner.freeSlots;
    if (slots <= 0) {
      await runner.slotFreed.wait(signal);
      continue;
    }
    const tasks = await repeatUntilAnswered(() => claim(slots), { signal, timing, log });
    if (!tasks || tasks.length === 0) continue;
    try {
      if ((await runner.accept(tasks)) === 0) lostAnswers.noteKnown();
      refusals = 0;
    } catch (error) {
      lostAnswers.noteRefused();
      log.error({ err: error }, 'the journal refused a delivery; nothing of it was started');
      await timing.sleep(toBackoffMs(refusals++, { ...REFUSED_BACKOFF, random: timing.random }), signal);
    }
  }
};
