import type { Logger } from '@berth/kit';

/** Silence is an outcome too: a terminal that does not know its server's name never writes anything about it. */
export class SilenceTimer {
  readonly #silenceMs: number;
  readonly #onSilence: () => Promise<void>;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;

  constructor({ silenceMs, onSilence, log }: { silenceMs: number; onSilence: () => Promise<void>; log: Logger }) {
    this.#silenceMs = silenceMs;
    this.#onSilence = onSilence;
    this.#log = log;
  }

  /** Restarts the timer. */
  start(): void {
    this.stop();
    const onError = (error: unknown) => this.#log.warn({ err: error }, 'a silent terminal could not be closed');
    this.#timer = setTimeout(() => void this.#onSilence().catch(onError), this.#silenceMs);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
