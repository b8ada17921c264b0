/**
 * Whether ticks of the scheduler are completed, by any server. Told from the moment that the database notes for the last one:
 * as long as it changes, some server does the work. Its age is measured on this process's own clock, since when it did
 * not change, so that a clock that was set, a long downtime before the start, or another server that holds the lock
 * never looks like a scheduler that hangs.
 */
export class SchedulerPulse {
  readonly #elapsedMs: () => number;
  #last: string | undefined;
  #changedAtMs: number;

  /** @param elapsedMs a clock that nobody sets */
  constructor(elapsedMs: () => number = () => performance.now()) {
    this.#elapsedMs = elapsedMs;
    this.#changedAtMs = elapsedMs();
  }

  /** Takes the moment that the database holds; every look at it helps. */
  observe(completedAt: string): void {
    if (completedAt === this.#last) return;
    this.#last = completedAt;
    this.#changedAtMs = this.#elapsedMs();
  }

  /** For how long no tick was seen to be completed; from the start of the process where none was. */
  get ageMs(): number {
    return this.#elapsedMs() - this.#changedAtMs;
  }
}
