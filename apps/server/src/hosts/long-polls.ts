/** The long polls that wait in this process: for a hint that their host has work, or for the work itself. */
import type { DeliveredTask } from '@berth/contract';
import { setSystemTimer, type SetTimer } from '@berth/kit';

/** What a host asked for. */
export interface Claim {
  hostId: string;
  sessionId: string;
  slots: number;
  /** Every attempt that the agent has in hand. Undefined: it does not say, and nothing is repeated. */
  known?: readonly { task_id: string; fence: number }[] | undefined;
}

/** A hint; or what was found for the claim, if anything; or undefined when the time is over. */
export type PollResult = 'hint' | DeliveredTask[] | undefined;

/** A claim that waits. */
export interface WaitingClaim {
  readonly claim: Claim;
  /** Ends the wait: somebody else looks for work for the claim, and this is what comes of it. */
  answer(found: Promise<DeliveredTask[]>): void;
}

/**
 * One long poll. Register it before looking for work, or a hint in between is lost. Ten thousand of them wait in one
 * process, so each is a flag, a timer and a callback; abort signals would take ten times the memory.
 */
export class LongPoll implements WaitingClaim {
  readonly claim: Claim;
  readonly #setTimer: SetTimer;
  readonly #onStop: (poll: LongPoll) => void;
  #isWoken = false;
  #settle: ((result: PollResult | Promise<PollResult>) => void) | undefined;

  constructor(claim: Claim, setTimer: SetTimer, onStop: (poll: LongPoll) => void) {
    this.claim = claim;
    this.#setTimer = setTimer;
    this.#onStop = onStop;
  }

  /** There is a hint, or waiting no longer has a purpose. */
  wake(): void {
    if (this.#settle) this.#settle('hint');
    else this.#isWoken = true;
  }

  get isWaiting(): boolean {
    return this.#settle !== undefined;
  }

  answer(found: Promise<DeliveredTask[]>): void {
    this.#settle?.(found);
  }

  /**
   * Resolves when it is woken or answered, or after `ms`; a wake-up since the last call counts. Not an async function:
   * its frame would be kept in memory for the whole wait.
   * @throws what `answer` was rejected with
   */
  next(ms: number): Promise<PollResult> {
    if (this.#isWoken) {
      this.#isWoken = false;
      return Promise.resolve('hint');
    }
    return new Promise<PollResult>((resolve) => {
      const cancelTimer = this.#setTimer(() => this.#settle?.(undefined), ms);
      this.#settle = (result) => {
        cancelTimer();
        this.#settle = undefined;
        resolve(result);
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

  listen(claim: Claim): LongPoll {
    const { hostId } = claim;
    const polls = this.#polls.get(hostId) ?? new Set();
    const poll = new LongPoll(claim, this.#setTimer, (stopped) => {
      polls.delete(stopped);
      if (polls.size === 0 && this.#polls.get(hostId) === polls) this.#polls.delete(hostId);
    });
    this.#polls.set(hostId, polls.add(poll));
    return poll;
  }

  /** The host's newest claim, if it waits: not while it looks for work, or is being answered. */
  findWaiting(hostId: string): WaitingClaim | undefined {
    const newest = [...(this.#polls.get(hostId) ?? [])].at(-1);
    return newest?.isWaiting === true ? newest : undefined;
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
