/** Unexpected dialogs as obstacles to a task or to a start. */
import { cutText } from '@berth/contract/values';
import type { Logger } from '@berth/kit';
import type { OpenDialog, MainWindow } from '../edition.ts';
import type { Obstacle } from '../step-failure.ts';

const MAX_DIALOGS = 3;
const MAX_TEXT_CHARACTERS = 300;
const SIZE = { width: 1280, height: 800 };

const toQuote = ({ title, text }: OpenDialog): string => {
  const words = [title, text].filter((part) => part !== '').join(': ');
  return `"${cutText(words.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' '), MAX_TEXT_CHARACTERS)}"`;
};

/** The text of open dialogs for a user: words of an untrusted box, marked as such by quotes. Pure. */
export const toDialogText = (dialogs: readonly OpenDialog[]): string =>
  `A dialog stands open in the terminal: ${dialogs.slice(0, MAX_DIALOGS).map(toQuote).join(', ')}. ` +
  'Look at its screen (SCREENSHOT), and have it closed on the host.';

/** @returns undefined where there is no obstacle, or where it cannot be determined */
export const findObstacle = async (window: MainWindow): Promise<Obstacle | undefined> => {
  try {
    const dialogs = await window.listDialogs();
    if (dialogs.length === 0) return undefined;
    const isSecret = dialogs.some((dialog) => dialog.isSecret);
    const screenshot = isSecret ? undefined : await window.capture({ ...SIZE, chart: null }).catch(() => undefined);
    return { text: toDialogText(dialogs), screenshot };
  } catch {
    // A screen that does not respond is reported by what failed before.
    return undefined;
  }
};

/** Each look starts a program beside the terminal, which takes a tenth of a second of CPU time. */
const LOOK_MS = 60_000;

export interface DialogWatchOptions {
  window: MainWindow;
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
    const { window, onChange, log } = this.#options;
    try {
      const dialogs = await window.listDialogs();
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
