/** The long polls that wait in this process: for a hint that their host has work, or for the work itself. */
import type { DeliveredTask } from '@berth/contract';
import { setSystemTimer, type SetTimer } from '@berth/kit';

/** A claim that waits. */
export interface WaitingClaim {
  readonly hostId: string;
  readonly sessionId: string;
  /** How many tasks it takes. */
  readonly slots: number;
}

/**
 * A waiting claim, reserved by the call that creates tasks for its host. The reservation ends once, in one of three
 * ways.
 */
export interface ClaimReservation extends WaitingClaim {
  /** Answers the claim. */
  deliver(tasks: DeliveredTask[]): void;
  /** The claim keeps waiting; or looks for work, if it was woken or timed out in the meantime. */
  release(): void;
  /** Fails the claim: it is unknown whether it was given tasks, so its agent has to claim again. */
  fail(error: unknown): void;
}

/** Tasks that the claim was given; none after a hint; undefined when it timed out. */
export type PollResult = DeliveredTask[] | undefined;

/**
 * The longest that a task waits for a claim that is looking for work: far longer than a look takes, unless something
 * delays it.
 */
const MAX_LOOK_MS = 50;

interface Settlement {
  resolve: (result: PollResult) => void;
  reject: (error: unknown) => void;
  cancelTimer: () => void;
}

/**
 * One long poll. Register it before looking for work, or a hint in between is lost. Ten thousand of them wait in one
 * process, so each is two flags, a timer and a callback; abort signals would take ten times the memory.
 */
export class LongPoll implements ClaimReservation {
  readonly hostId: string;
  readonly sessionId: string;
  readonly slots: number;
  readonly #setTimer: SetTimer;
  readonly #onStop: (poll: LongPoll) => void;
  #isWoken = false;
  /** Whatever happens while the claim is reserved takes effect when it is released. */
  #isReserved = false;
  #settlement: Settlement | undefined;
  #look: { ended: Promise<void>; end: () => void } | undefined;

  constructor({ hostId, sessionId, slots }: WaitingClaim, setTimer: SetTimer, onStop: (poll: LongPoll) => void) {
    this.hostId = hostId;
    this.sessionId = sessionId;
    this.slots = slots;
    this.#setTimer = setTimer;
    this.#onStop = onStop;
  }

  /** There is a hint, or waiting no longer has a purpose. */
  wake(): void {
    if (this.#settlement && !this.#isReserved) this.#settle([]);
    else this.#isWoken = true;
  }

  /**
   * Resolves when it is woken, when the claim is given tasks, or after `ms`; a wake-up since the last call counts. Not
   * an async function: its frame would be kept in memory for the whole wait.
   * @throws what was passed to `fail`
   */
  next(ms: number): Promise<PollResult> {
    if (this.#isWoken) {
      this.#isWoken = false;
      return Promise.resolve([]);
    }
    return new Promise<PollResult>((resolve, reject) => {
      this.#look?.end();
      this.#settlement = { resolve, reject, cancelTimer: this.#setTimer(() => this.#endTime(), ms) };
    });
  }

  /** While it is reserved, the end of the reservation is awaited, which may bring tasks. */
  #endTime(): void {
    if (this.#isReserved) this.#isWoken = true;
    else this.#settle(undefined);
  }

  #settle(result: PollResult): void {
    this.#clear()?.resolve(result);
  }

  #clear(): Settlement | undefined {
    const settlement = this.#settlement;
    settlement?.cancelTimer();
    this.#settlement = undefined;
    this.#isWoken = false;
    return settlement;
  }

  /** While its claim looks for work itself: resolves when it waits, has been answered, or takes too long. */
  looked(): Promise<void> | undefined {
    if (this.#settlement) return undefined;
    this.#look ??= this.#watchLook();
    return this.#look.ended;
  }

  /** Shared by all that wait for it. */
  #watchLook(): { ended: Promise<void>; end: () => void } {
    let resolve!: () => void;
    const ended = new Promise<void>((settle) => (resolve = settle));
    const end = () => {
      cancelTimer();
      this.#look = undefined;
      resolve();
    };
    const cancelTimer = this.#setTimer(end, MAX_LOOK_MS);
    return { ended, end };
  }

  /** False where no claim waits, or where another call has reserved it. */
  reserve(): boolean {
    if (!this.#settlement || this.#isWoken || this.#isReserved) return false;
    this.#isReserved = true;
    return true;
  }

  deliver(tasks: DeliveredTask[]): void {
    this.#isReserved = false;
    this.#settle(tasks);
  }

  release(): void {
    this.#isReserved = false;
    if (this.#isWoken) this.#settle([]);
  }

  fail(error: unknown): void {
    this.#isReserved = false;
    this.#clear()?.reject(error);
  }

  stop(): void {
    this.#look?.end();
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

  listen(claim: WaitingClaim): LongPoll {
    const { hostId } = claim;
    const polls = this.#polls.get(hostId) ?? new Set();
    const poll = new LongPoll(claim, this.#setTimer, (stopped) => {
      polls.delete(stopped);
      if (polls.size === 0 && this.#polls.get(hostId) === polls) this.#polls.delete(hostId);
    });
    this.#polls.set(hostId, polls.add(poll));
    return poll;
  }

  #findNewest(hostId: string): LongPoll | undefined {
    return [...(this.#polls.get(hostId) ?? [])].at(-1);
  }

  /** Reserves the host's newest claim, if it waits here; the caller ends the reservation. */
  reserveClaim(hostId: string): ClaimReservation | undefined {
    const newest = this.#findNewest(hostId);
    return newest?.reserve() === true ? newest : undefined;
  }

  /** `LongPoll.looked` of the host's newest claim. */
  looked(hostId: string): Promise<void> | undefined {
    return this.#findNewest(hostId)?.looked();
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
