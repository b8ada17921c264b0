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
 * A claim that waits, reserved by the call that creates tasks of its host. The reservation ends once, in one of three
 * ways.
 */
export interface ClaimReservation extends WaitingClaim {
  /** Answers the claim. */
  deliver(tasks: DeliveredTask[]): void;
  /** The claim waits on; or looks, if it was woken or its time came meanwhile. */
  release(): void;
  /** Fails the claim: whether it was given something is not known, so its agent has to ask again. */
  fail(error: unknown): void;
}

/** Tasks that the claim was given; none after a hint; undefined when its time is over. */
export type PollResult = DeliveredTask[] | undefined;

/** So long a task waits at the most for a claim that looks: far longer than a look takes, unless something holds it up. */
const MAX_LOOK_MS = 50;

interface Settlement {
  resolve: (result: PollResult) => void;
  reject: (error: unknown) => void;
  cancelTimer: () => void;
}

/**
 * One long poll. Listen before looking for work, or a hint between the two is lost. Ten thousand of them wait in one
 * process, so each is two flags, a timer and a callback; abort signals would take ten times their memory.
 */
export class LongPoll implements ClaimReservation {
  readonly hostId: string;
  readonly sessionId: string;
  readonly slots: number;
  readonly #setTimer: SetTimer;
  readonly #onStop: (poll: LongPoll) => void;
  #isWoken = false;
  /** What happens while the claim is reserved takes effect when it is released. */
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

  /** A hint came, or the waiting has no purpose any more. */
  wake(): void {
    if (this.#settlement && !this.#isReserved) this.#settle([]);
    else this.#isWoken = true;
  }

  /**
   * Resolves when it is woken, when the claim is given tasks, or after `ms`; a wake-up since the last call counts. Without a
   * frame of its own, which would wait with it.
   * @throws what `fail` was told
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

  /** What it may be given by those who have reserved it is waited for. */
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

  /** While its claim looks for work itself: resolves when it waits, or has been answered, or when that takes long. */
  looked(): Promise<void> | undefined {
    if (this.#settlement) return undefined;
    this.#look ??= this.#watchLook();
    return this.#look.ended;
  }

  /** One for all that wait for it. */
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

  /** @param setTimer in a simulation, virtual time */
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

  /** As `LongPoll.looked`, of the host's newest claim. */
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
