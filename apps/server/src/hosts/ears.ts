/** Who waits in this process for a hint that a host has work: its long polls. */
import { setSystemTimer, type SetTimer } from '@berth/kit';

/**
 * One long poll's ear. Listen before looking for work, or a hint between the two is lost. Ten thousand of them wait in one
 * process, so an ear is a flag, a timer and a callback; abort signals would take ten times their memory.
 */
export class Ear {
  readonly #setTimer: SetTimer;
  readonly #onStop: (ear: Ear) => void;
  #isRung = false;
  #wake: (() => void) | undefined;

  constructor(setTimer: SetTimer, onStop: (ear: Ear) => void) {
    this.#setTimer = setTimer;
    this.#onStop = onStop;
  }

  /** A hint came, or the waiting has no purpose any more. */
  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  /** Resolves when it rings, or after `ms`. A ring since the last call counts. */
  async next(ms: number): Promise<void> {
    if (!this.#isRung) {
      await new Promise<void>((resolve) => {
        const cancel = this.#setTimer(resolve, ms);
        this.#wake = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#wake = undefined;
    this.#isRung = false;
  }

  stop(): void {
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

  listen(hostId: string): Ear {
    const ears = this.#ears.get(hostId) ?? new Set();
    const ear = new Ear(this.#setTimer, (stopped) => {
      ears.delete(stopped);
      if (ears.size === 0 && this.#ears.get(hostId) === ears) this.#ears.delete(hostId);
    });
    this.#ears.set(hostId, ears.add(ear));
    return ear;
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
