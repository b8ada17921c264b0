import type { Timing } from '@berth/testing/simulation';
import type { Random } from '../random.ts';
import type { Timer, VirtualTime } from './virtual-time.ts';

/** Wall clocks show this at the beginning of a world. */
export const EPOCH_MS = Date.UTC(2026, 0, 1);

/** A computer's wall clock: it may be set while everything goes on. */
export class WallClock {
  offsetMs = 0;
  readonly #time: VirtualTime;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  now(): number {
    return EPOCH_MS + this.#time.nowMs + this.offsetMs;
  }
}

/**
 * One process. Killed, nothing of it ever goes on: every promise that it waits for stays open, as if its memory were gone.
 * Paused (SIGSTOP), what would have happened to it happens when it goes on.
 */
export class VirtualProcess {
  readonly timing: Timing;
  #isAlive = true;
  #isPaused = false;
  #backlog: (() => void)[] = [];
  readonly #time: VirtualTime;
  readonly #random: Random;

  constructor(time: VirtualTime, clock: WallClock, random: Random) {
    this.#time = time;
    this.#random = random;
    this.timing = { clock, random: random.next, sleep: (ms, signal) => this.#sleep(ms, signal) };
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  kill(): void {
    this.#isAlive = false;
    this.#backlog = [];
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const run of this.#backlog.splice(0)) this.#guard(run);
  }

  /** Something that happens to this process, unless it is dead by then. */
  after(ms: number, run: () => void, isStep = false): Timer {
    return this.#time.after(ms, () => this.#guard(run), isStep);
  }

  #guard(run: () => void): void {
    if (!this.#isAlive) return;
    if (this.#isPaused) this.#backlog.push(run);
    else run();
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    const { slackMs } = this.#time;
    const wholeMs = slackMs === 0 ? ms : ms + this.#random.int(0, slackMs);
    return new Promise((resolve) => {
      const onAbort = () => {
        timer.run = undefined;
        resolve();
      };
      const timer = this.after(wholeMs, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}

/** What a dead process waits for. */
export const never = <Result>(): Promise<Result> => new Promise(() => undefined);
