import type { Timing } from '@berth/kit';

/**
 * Whether attempts may have been handed out to this session that never arrived here. A claim without an answer may have
 * been carried out; one whose connection broke on this side only may even still be waiting at the server, and be given
 * work later.
 */
export class LostAnswers {
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
