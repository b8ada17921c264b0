import type { Logger } from '@berth/kit';
import type { OpenDialog, Operator } from '../edition.ts';

/** A look starts a program beside the terminal, which takes a tenth of a second of a processor. */
const LOOK_MS = 60_000;

export interface DialogWatchOptions {
  operator: Operator;
  /** Called when other dialogs stand open than at the look before. */
  onChange: () => void;
  log: Logger;
}

/** Looks now and then whether a dialog stands in front of a running terminal that nobody asked for. */
export class DialogWatch {
  readonly #options: DialogWatchOptions;
  #dialogs: readonly OpenDialog[] = [];
  #timer: NodeJS.Timeout | undefined;
  #run = 0;

  constructor(options: DialogWatchOptions) {
    this.#options = options;
  }

  /** As seen last. */
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
