/**
 * Lets one loop wait until another part signals that there is something to do. A wake-up before the wait is not lost.
 */
export class Wakeup {
  #isAwake = false;
  #resolve: (() => void) | undefined;

  wake(): void {
    this.#isAwake = true;
    this.#resolve?.();
  }

  /** Resolves at the next wake-up, or when the signal aborts. For one waiter at a time. */
  async wait(signal: AbortSignal): Promise<void> {
    if (!this.#isAwake && !signal.aborted) {
      const onAbort = () => this.#resolve?.();
      signal.addEventListener('abort', onAbort);
      await new Promise<void>((resolve) => (this.#resolve = resolve));
      signal.removeEventListener('abort', onAbort);
      this.#resolve = undefined;
    }
    this.#isAwake = false;
  }
}
