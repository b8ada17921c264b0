import type { Logger } from '@berth/kit';
import type { OpenDialog, Operator } from '../edition.ts';

/** Each look starts a program beside the terminal, which takes a tenth of a second of CPU time. */
const LOOK_MS = 60_000;

export interface DialogWatchOptions {
  operator: Operator;
  /** Called when the open dialogs have changed since the last look. */
  onChange: () => void;
  log: Logger;
}

/** Looks from time to time for an unexpected dialog in front of a running terminal. */
export class DialogWatch {
  readonly #options: DialogWatchOptions;
  #dialogs: readonly OpenDialog[] = [];
  #timer: NodeJS.Timeout | undefined;
  #run = 0;

  constructor(options: DialogWatchOptions) {
    this.#options = options;
  }

  /** As last seen. */
  get dialogs(): readonly OpenDialog[] {
    return this.#dialogs;
  }

  start(): void {
    this.stop();
    this.#wait(this.#run);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#run += 1;
    this.#dialogs = [];
  }

  #wait(run: number): void {
    this.#timer = setTimeout(() => void this.#look(run), LOOK_MS);
    this.#timer.unref();
  }

  async #look(run: number): Promise<void> {
    const { operator, onChange, log } = this.#options;
    try {
      const dialogs = await operator.listDialogs();
      if (run !== this.#run) return;
      const hasChanged = JSON.stringify(dialogs) !== JSON.stringify(this.#dialogs);
      this.#dialogs = dialogs;
      if (hasChanged) onChange();
    } catch (error) {
      log.debug({ err: error }, 'the dialogs of a terminal could not be listed');
    }
    if (run === this.#run) this.#wait(run);
  }
}
