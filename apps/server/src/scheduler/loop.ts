import { sleep, type Logger } from '@berth/kit';
import { DatabaseUnavailableError } from '../db/database.ts';

export interface LoopOptions {
  /** What it does, for the log: `the scheduler`. */
  name: string;
  /** How long it rests after each round. */
  everyMs: number;
  /** How long it waits before the first one. */
  firstAfterMs?: number;
}

/** What a server does again and again. A round that fails is logged, and the next one tries again. */
export class Loop {
  readonly #round: () => Promise<void>;
  readonly #options: LoopOptions;
  readonly #parts: { log: Logger; stopping: AbortSignal };
  #running: Promise<void> | undefined;

  constructor(round: () => Promise<void>, options: LoopOptions, parts: { log: Logger; stopping: AbortSignal }) {
    this.#round = round;
    this.#options = options;
    this.#parts = parts;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when the loop has left; the `stopping` signal makes it. */
  async stopped(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    const { name, everyMs, firstAfterMs = 0 } = this.#options;
    const { log, stopping } = this.#parts;
    if (firstAfterMs > 0) await sleep(firstAfterMs, stopping);
    while (!stopping.aborted) {
      try {
        await this.#round();
      } catch (error) {
        const level = error instanceof DatabaseUnavailableError ? 'debug' : 'error';
        log[level]({ err: error }, `a round of ${name} failed; the next one tries again`);
      }
      await sleep(everyMs, stopping);
    }
  }
}
