import { TooManyWaitingError, FairSemaphore } from '@berth/kit';
import { AppError } from '../errors.ts';
import { isPasswordOf, toPasswordHash } from './password-hash.ts';

/**
 * One computation takes 19 MiB and some tens of milliseconds of a core. Two at once leave half of libuv's four threads
 * to files and DNS, and bound the memory however many requests arrive. A caller that would wait behind more than a
 * hundred of them (a few seconds) is asked to retry later.
 */
const LIMITS = { places: 2, perOwner: 2, maxWaiting: 100 };
const RETRY_AFTER_S = 5;
/** The caller is not known yet, so all share one owner. */
const EVERYBODY = '';

/** Password computations, two at a time, first come, first served; 503 when too many wait. */
export class Passwords {
  readonly #slots = new FairSemaphore(LIMITS);

  hash(password: string): Promise<string> {
    return this.#takeTurn(() => toPasswordHash(password));
  }

  /** As `isPasswordOf`. */
  isMatch(password: string, passwordHash: string | undefined): Promise<boolean> {
    return this.#takeTurn(() => isPasswordOf(password, passwordHash));
  }

  async #takeTurn<Result>(compute: () => Promise<Result>): Promise<Result> {
    try {
      return await this.#slots.run(EVERYBODY, compute);
    } catch (error) {
      if (!(error instanceof TooManyWaitingError)) throw error;
      throw new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_S });
    }
  }
}
