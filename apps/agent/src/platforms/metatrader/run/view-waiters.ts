import { StepFailure } from '../step-failure.ts';
import { toSkippedText, type TerminalView } from './terminal-view.ts';

export interface WaitOptions {
  timeoutMs: number;
  signal?: AbortSignal;
}

/** The failure of a task whose terminal ended while it ran. */
export const toEnded = (): StepFailure =>
  new StepFailure(
    'E_NOT_RUNNING',
    'The terminal ended while the task waited for it. It is started again; repeat the task then.',
  );

/**
 * Callers that wait for the terminal to reach a state. A condition that holds counts even if the terminal has ended
 * since. Where a part of the journal was skipped, none counts.
 */
export class ViewWaiters {
  readonly #getState: () => { view: TerminalView; isAlive: boolean };
  readonly #checks = new Set<() => void>();

  constructor(getState: () => { view: TerminalView; isAlive: boolean }) {
    this.#getState = getState;
  }

  get size(): number {
    return this.#checks.size;
  }

  /** Checks the condition of every waiter; call it after each change. */
  check(): void {
    for (const check of [...this.#checks]) check();
  }

  /**
   * @returns false on timeout. Rejects when the terminal ends (E_NOT_RUNNING), a part of its journal was skipped (E_FILE)
   * or the signal aborts (its reason).
   */
  wait(condition: (view: TerminalView) => boolean, { timeoutMs, signal }: WaitOptions): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void): void => {
        clearTimeout(timer);
        this.#checks.delete(check);
        signal?.removeEventListener('abort', onAbort);
        settle();
      };
      const check = (): void => {
        const { view, isAlive } = this.#getState();
        if (view.skippedBytes > 0) finish(() => reject(new StepFailure('E_FILE', toSkippedText(view.skippedBytes))));
        else if (condition(view)) finish(() => resolve(true));
        else if (!isAlive) {
          finish(() => reject(toEnded()));
        }
      };
      const onAbort = (): void => finish(() => reject(signal?.reason as Error));
      const timer = setTimeout(() => finish(() => resolve(false)), timeoutMs);
      this.#checks.add(check);
      if (signal?.aborted) return onAbort();
      signal?.addEventListener('abort', onAbort, { once: true });
      check();
    });
  }
}
