import { Turns } from '@berth/kit';
import { AppError } from '../http/errors.ts';
import { isPasswordOf, toPasswordHash } from './password-hash.ts';

/**
 * One computation takes 19 MiB and some tens of milliseconds of a core. Two at once leave half of libuv's four threads to
 * files and names, and bound the memory however many ask.
 */
const AT_ONCE = 2;
/** Whoever would wait longer than for these (some seconds) is told to come back instead. */
const MAX_WAITING = 100;
const RETRY_AFTER_S = 5;

/** Password computations, two at a time in the order in which they were asked for; 503 when too many wait. */
export class Passwords {
  readonly #turns = new Turns(AT_ONCE);

  hash(password: string): Promise<string> {
    return this.#takeTurn(() => toPasswordHash(password));
  }

  /** As `isPasswordOf`. */
  isMatch(password: string, passwordHash: string | undefined): Promise<boolean> {
    return this.#takeTurn(() => isPasswordOf(password, passwordHash));
  }

  async #takeTurn<Result>(compute: () => Promise<Result>): Promise<Result> {
    if (this.#turns.waiting >= MAX_WAITING) throw new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_S });
    return this.#turns.take(compute);
  }
}
