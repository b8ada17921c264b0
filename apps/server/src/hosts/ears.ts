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
 * The place of a claim that waits, held by the call that creates tasks of its host. It is given back once, in one of
 * three ways.
 */
export interface Seat extends WaitingClaim {
  /** Answers the claim. */
  take(tasks: DeliveredTask[]): void;
  /** The claim waits on; or looks, if it was rung or its time came meanwhile. */
  giveUp(): void;
  /** Fails the claim: whether it was given something is not known, so its agent has to ask again. */
  fail(error: unknown): void;
}

/** Tasks that the claim was given; none after a hint; undefined when its time is over. */
export type Heard = DeliveredTask[] | undefined;

/** So long a task waits at the most for a claim that looks: far longer than a look takes, unless something holds it up. */
const MAX_LOOK_MS = 50;

interface Settlement {
  resolve: (heard: Heard) => void;
  reject: (error: unknown) => void;
  cancelTimer: () => void;
}

/**
 * One long poll's ear. Listen before looking for work, or a hint between the two is lost. Ten thousand of them wait in one
 * process, so an ear is two flags, a timer and a callback; abort signals would take ten times their memory.
 */
export class Ear implements Seat {
  readonly hostId: string;
  readonly sessionId: string;
  readonly slots: number;
  readonly #setTimer: SetTimer;
  readonly #onStop: (ear: Ear) => void;
  #isRung = false;
  /** What happens while somebody holds the seat is heard once it is given back. */
  #isHeld = false;
  #settlement: Settlement | undefined;
  #look: { ended: Promise<void>; end: () => void } | undefined;

  constructor({ hostId, sessionId, slots }: WaitingClaim, setTimer: SetTimer, onStop: (ear: Ear) => void) {
    this.hostId = hostId;
    this.sessionId = sessionId;
    this.slots = slots;
    this.#setTimer = setTimer;
    this.#onStop = onStop;
  }

  /** A hint came, or the waiting has no purpose any more. */
  ring(): void {
    if (this.#settlement && !this.#isHeld) this.#settle([]);
    else this.#isRung = true;
  }

  /**
   * Resolves when it rings, when the claim is given tasks, or after `ms`; a ring since the last call counts. Without a frame
   * of its own, which would wait with it.
   * @throws what `fail` was told
   */
  next(ms: number): Promise<Heard> {
    if (this.#isRung) {
      this.#isRung = false;
      return Promise.resolve([]);
    }
    return new Promise<Heard>((resolve, reject) => {
      this.#look?.end();
      this.#settlement = { resolve, reject, cancelTimer: this.#setTimer(() => this.#endTime(), ms) };
    });
  }

  /** What it may be given by those who hold the seat is waited for. */
  #endTime(): void {
    if (this.#isHeld) this.#isRung = true;
    else this.#settle(undefined);
  }

  #settle(heard: Heard): void {
    this.#release()?.resolve(heard);
  }

  #release(): Settlement | undefined {
    const settlement = this.#settlement;
    settlement?.cancelTimer();
    this.#settlement = undefined;
    this.#isRung = false;
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

  /** False where no claim waits, or where another call holds its seat. */
  hold(): boolean {
    if (!this.#settlement || this.#isRung || this.#isHeld) return false;
    this.#isHeld = true;
    return true;
  }

  take(tasks: DeliveredTask[]): void {
    this.#isHeld = false;
    this.#settle(tasks);
  }

  giveUp(): void {
    this.#isHeld = false;
    if (this.#isRung) this.#settle([]);
  }

  fail(error: unknown): void {
    this.#isHeld = false;
    this.#release()?.reject(error);
  }

  stop(): void {
    this.#look?.end();
    this.#onStop(this);
  }
}

/** The ears of this process, by host. */
export class Ears {
  readonly #setTimer: SetTimer;
  readonly #ears = new Map<string, Set<Ear>>();

  /** @param setTimer in a simulation, virtual time */
  constructor(setTimer: SetTimer = setSystemTimer) {
    this.#setTimer = setTimer;
  }

  listen(claim: WaitingClaim): Ear {
    const { hostId } = claim;
    const ears = this.#ears.get(hostId) ?? new Set();
    const ear = new Ear(claim, this.#setTimer, (stopped) => {
      ears.delete(stopped);
      if (ears.size === 0 && this.#ears.get(hostId) === ears) this.#ears.delete(hostId);
    });
    this.#ears.set(hostId, ears.add(ear));
    return ear;
  }

  #findNewest(hostId: string): Ear | undefined {
    return [...(this.#ears.get(hostId) ?? [])].at(-1);
  }

  /** The seat of the host's newest claim, if it waits here; the caller gives it back. */
  offerSeat(hostId: string): Seat | undefined {
    const newest = this.#findNewest(hostId);
    return newest?.hold() === true ? newest : undefined;
  }

  /** As `Ear.looked`, of the host's newest claim. */
  looked(hostId: string): Promise<void> | undefined {
    return this.#findNewest(hostId)?.looked();
  }

  /** @returns whether anybody listens for the host */
  ring(hostId: string): boolean {
    const ears = this.#ears.get(hostId);
    for (const ear of ears ?? []) ear.ring();
    return ears !== undefined;
  }

  ringAll(): void {
    for (const id of this.#ears.keys()) this.ring(id);
  }
}
