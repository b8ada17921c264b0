/**
 * Owners take turns: one owner never has all of the few slots, and the next slot goes to the owner who has waited
 * longest, not to the oldest request. So an owner whose work takes long, or who makes a hundred requests at once, does
 * not hold up the others.
 */

/** The owner already has so many requests waiting that another one would not be served in time. */
export class TooManyWaitingError extends Error {
  constructor() {
    super('too much work of one owner waits for its turn');
    this.name = 'TooManyWaitingError';
  }
}

export interface SemaphoreLimits {
  /** Running at once, in total. */
  places: number;
  /** Running at once, per owner. */
  perOwner: number;
  /** Waiting, per owner. */
  maxWaiting: number;
}

interface Owner {
  atWork: number;
  waiting: (() => void)[];
}

/**
 * Assigns the slots to owners in turns.
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
      // Moves to the end of the queue.
      this.#owners.delete(ownerId);
      this.#owners.set(ownerId, owner);
      owner.waiting.shift()!();
      return;
    }
  }
}
