/**
 * Takes owners in turns: one owner never has all of the few places, and the next place goes to the owner who waited
 * longest, not to the oldest request. So an owner whose work takes long, or who asks a hundred times at once, does not
 * hold up the others.
 */

/** One owner waits so often already that one more would never be answered in time. */
export class TooManyWaitingError extends Error {
  constructor() {
    super('too much work of one owner waits for its turn');
    this.name = 'TooManyWaitingError';
  }
}

export interface SemaphoreLimits {
  /** At work at once. */
  places: number;
  /** Of them, for one owner. */
  perOwner: number;
  /** Of one owner, beyond those at work. */
  maxWaiting: number;
}

interface Owner {
  atWork: number;
  waiting: (() => void)[];
}

/**
 * Gives the places to owners in turns.
 * @example
 * import { FairSemaphore } from '@berth/kit';
 * const semaphore = new FairSemaphore({ places: 2, perOwner: 1, maxWaiting: 10 });
 * await semaphore.run('ada', async () => 'done'); // => 'done'
 */
export class FairSemaphore {
  readonly #limits: SemaphoreLimits;
  /** In the order of their turns. */
  readonly #owners = new Map<string, Owner>();
  #atWork = 0;

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits;
  }

  /**
   * Does the work when it is the owner's turn.
   * @throws TooManyWaitingError
   */
  async run<Result>(ownerId: string, work: () => Promise<Result>): Promise<Result> {
    await this.#enter(ownerId);
    try {
      return await work();
    } finally {
      this.#leave(ownerId);
    }
  }

  #enter(ownerId: string): Promise<void> | undefined {
    const owner = this.#owners.get(ownerId) ?? { atWork: 0, waiting: [] };
    if (owner.waiting.length >= this.#limits.maxWaiting) throw new TooManyWaitingError();
    this.#owners.set(ownerId, owner);
    const turn = new Promise<void>((resolve) => owner.waiting.push(resolve));
    this.#callNext();
    return turn;
  }

  #leave(ownerId: string): void {
    const owner = this.#owners.get(ownerId)!;
    owner.atWork -= 1;
    this.#atWork -= 1;
    if (owner.atWork === 0 && owner.waiting.length === 0) this.#owners.delete(ownerId);
    this.#callNext();
  }

  #callNext(): void {
    const { places, perOwner } = this.#limits;
    if (this.#atWork >= places) return;
    for (const [ownerId, owner] of this.#owners) {
      if (owner.atWork >= perOwner || owner.waiting.length === 0) continue;
      this.#atWork += 1;
      owner.atWork += 1;
      // To the end of the row.
      this.#owners.delete(ownerId);
      this.#owners.set(ownerId, owner);
      owner.waiting.shift()!();
      return;
    }
  }
}
