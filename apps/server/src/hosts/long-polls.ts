/** The long polls that wait in this process for a hint that their host has work. */
import { setSystemTimer, type SetTimer } from '@berth/kit';

/**
 * One long poll. Register it before looking for work, or a hint in between is lost. Ten thousand of them wait in one
 * process, so each is a flag, a timer and a callback; abort signals would take ten times the memory.
 */
export class LongPoll {
  readonly #setTimer: SetTimer;
  readonly #onStop: (poll: LongPoll) => void;
  #isWoken = false;
  #settle: ((isWoken: boolean) => void) | undefined;

  constructor(setTimer: SetTimer, onStop: (poll: LongPoll) => void) {
    this.#setTimer = setTimer;
    this.#onStop = onStop;
  }

  /** There is a hint, or waiting no longer has a purpose. */
  wake(): void {
    if (this.#settle) this.#settle(true);
    else this.#isWoken = true;
  }

  /**
   * Resolves when it is woken, or after `ms`; a wake-up since the last call counts. Not an async function: its frame
   * would be kept in memory for the whole wait.
   * @returns false when the time is over
   */
  next(ms: number): Promise<boolean> {
    if (this.#isWoken) {
      this.#isWoken = false;
      return Promise.resolve(true);
    }
    return new Promise<boolean>((resolve) => {
      const cancelTimer = this.#setTimer(() => this.#settle?.(false), ms);
      this.#settle = (isWoken) => {
        cancelTimer();
        this.#settle = undefined;
        resolve(isWoken);
      };
    });
  }

  stop(): void {
    this.#onStop(this);
  }
}

/** The polls of this process, by host. */
export class LongPolls {
  readonly #setTimer: SetTimer;
  readonly #polls = new Map<string, Set<LongPoll>>();

  /** @param setTimer for virtual time, in a simulation */
  constructor(setTimer: SetTimer = setSystemTimer) {
    this.#setTimer = setTimer;
  }

  listen(hostId: string): LongPoll {
    const polls = this.#polls.get(hostId) ?? new Set();
    const poll = new LongPoll(this.#setTimer, (stopped) => {
      polls.delete(stopped);
      if (polls.size === 0 && this.#polls.get(hostId) === polls) this.#polls.delete(hostId);
    });
    this.#polls.set(hostId, polls.add(poll));
    return poll;
  }

  /** @returns whether anybody listens for the host */
  wake(hostId: string): boolean {
    const polls = this.#polls.get(hostId);
    for (const poll of polls ?? []) poll.wake();
    return polls !== undefined;
  }

  wakeAll(): void {
    for (const id of this.#polls.keys()) this.wake(id);
  }
}
