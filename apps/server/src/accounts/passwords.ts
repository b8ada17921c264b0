import { FairSemaphore, TooManyWaitingError } from '@berth/kit';
import { hash, verify } from '@node-rs/argon2';
import { weakPasswords } from '@berth/contract/weak-passwords';
import { AppError, ValidationError } from '../errors.ts';
import { deletePasswordLink, deleteResetCodes, updatePasswordHash } from './credentials.ts';
import { recordAudit, type Actor } from '../audit/record.ts';
import type { Database, Transaction } from '../db/database.ts';
import { recordEvents } from '../events/record.ts';
import { deleteTokensOfUser } from '../tokens/queries.ts';
import { deleteSignInLinks } from '../tokens/sign-in-links.ts';

/** argon2id with 19 MiB, two passes, one lane: OWASP's first choice of 2024. Computed on libuv's threads. */
const OPTIONS = { algorithm: 2, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;

/** The hash of a forgotten random text, at the same cost: what the password of an unknown address is verified against. */
const DUMMY_HASH = '$argon2id$v=19$m=19456,t=2,p=1$3g+P5mCUnv8jA/KeETHC3g$cQD0TKey/VPrbgVXH4JEbINxrnBnZi9pOid+F96pt2k';

/** Keyboards and systems encode the same letters differently: `é` is one character, or two (NIST SP 800-63B). */
export const normalise = (password: string): string => password.normalize('NFKC');

/** The PHC string that is stored instead of the password. */
export const toPasswordHash = (password: string): Promise<string> => hash(normalise(password), OPTIONS);

const isMatch = async (password: string, passwordHash: string | undefined): Promise<boolean> => {
  const isVerified = await verify(passwordHash ?? DUMMY_HASH, password);
  return isVerified && passwordHash !== undefined;
};

/**
 * Takes as long without a hash (an unknown user) as with a wrong password, and returns false then. Also true for a
 * password that was hashed as it was typed, without normalisation, as earlier versions did.
 */
export const isPasswordOf = async (password: string, passwordHash: string | undefined): Promise<boolean> => {
  const normalised = normalise(password);
  return (
    (await isMatch(normalised, passwordHash)) || (password !== normalised && (await isMatch(password, passwordHash)))
  );
};

/**
 * What a new password must fulfil besides its length: it is not what everybody tries first (NIST SP 800-63B). Case does
 * not count.
 * @param field that the refusal names
 */
export const assertUncommon = (field: string, password: string): void => {
  if (!weakPasswords.has(normalise(password).toLowerCase())) return;
  throw ValidationError.of(
    field,
    'This password is one of the most common ones, which are tried first. Choose another one.',
    'Several words in a row are easy to remember and hard to guess.',
  );
};

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

interface PasswordReplacement {
  user: { id: string; name: string };
  /** The hash that was verified: if another one is stored by now, another call was faster. */
  oldHash: string;
  newHash: string;
  /** By a code that was mailed, which proves that the address is the user's. */
  hasReadMail?: boolean;
  by: { actor: Actor; action: `password.${'set' | 'reset' | 'change' | 'renew'}` };
}

/**
 * Sets a new password, revokes every token, session, sign-in link and mailed code, and notifies the user: all or
 * nothing. The user's row is written first: a call that creates a token locks that row (tokens/queries.ts), so no token
 * escapes the revocation. False when the password was changed in the meantime.
 */
export const replacePassword = (db: Database, replacement: PasswordReplacement): Promise<boolean> =>
  db.transaction((tx) => replaceWithin(tx, replacement));

/** The same in the caller's transaction. */
export const replaceWithin = async (
  tx: Transaction,
  { user, oldHash, newHash, hasReadMail = false, by: { actor, action } }: PasswordReplacement,
): Promise<boolean> => {
  if (!(await updatePasswordHash(tx, user.id, { oldHash, newHash, hasReadMail }))) return false;
  await deleteTokensOfUser(tx, user.id);
  await deleteSignInLinks(tx, user.id);
  await deletePasswordLink(tx, user.id);
  await deleteResetCodes(tx, user.id);
  const target = { type: 'account', id: user.id };
  await recordAudit(tx, actor, { action, target, userId: user.id, after: { password: newHash } });
  const data = { name: user.name };
  await recordEvents(tx, [{ type: 'security.password_changed', userId: user.id, terminalId: null, data }]);
  return true;
};
