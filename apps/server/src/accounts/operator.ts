import { randomBytes } from 'node:crypto';
import { findOperator, lockOperatorCreation } from './credentials.ts';
import { replaceWithin, toPasswordHash } from './passwords.ts';
import { commandActor, recordAudit, systemActor } from '../audit/record.ts';
import type { Database } from '../db/database.ts';
import { createSignInCode } from '../tokens/sign-in-links.ts';
import { createAccount } from './users.ts';

export interface Operator {
  email: string;
  /** Only from the call that created the account; it cannot be read again. */
  password: string | undefined;
  /** The same, for a link that signs the operator in once (tokens/sign-in-links.ts). */
  signInCode: string | undefined;
}

/** Shows a password that was just created; resolves when that is done. It cannot be read again. */
export type AnnouncePassword = (made: { email: string; password: string }) => Promise<void>;

const createPassword = (): string => randomBytes(18).toString('base64url');

/**
 * Creates the operator's account, with a generated password, unless there is one. Servers that start together take
 * turns, so that one of them creates it. The password is shown before the commit: a start that is killed in between
 * leaves a shown password that was never valid, but never one that nobody knows.
 * @throws when there is no operator and the address belongs to an ordinary account: a setting promotes no account
 */
export const ensureOperator = (db: Database, email: string, announce: AnnouncePassword): Promise<Operator> =>
  db.transaction(async (tx) => {
    await lockOperatorCreation(tx);
    const existing = await findOperator(tx, undefined);
    if (existing) return { email: existing.email, password: undefined, signInCode: undefined };
    const password = createPassword();
    const passwordHash = await toPasswordHash(password);
    const account = await createAccount(tx, { name: 'Operator', email, passwordHash, isOperator: true });
    if (!account) throw new Error(`BERTH_OPERATOR_EMAIL: ${email} already belongs to an account that is no operator`);
    const target = { type: 'user', id: account.id };
    const after = { is_operator: true };
    await recordAudit(tx, systemActor, { action: 'user.create', target, userId: account.id, after });
    const signInCode = await createSignInCode(tx, account.id);
    await announce({ email, password });
    return { email, password, signInCode };
  });

/**
 * Gives an operator a new password and revokes all their tokens; shown before the commit, like the first one.
 * @param email of one of several operators; undefined: the first of them
 * @throws when there is no such operator
 */
export const renewOperatorPassword = (
  db: Database,
  email: string | undefined,
  announce: AnnouncePassword,
): Promise<void> =>
  db.transaction(async (tx) => {
    const operator = await findOperator(tx, email);
    if (!operator) {
      const which = email === undefined ? 'no operator' : `no operator with the address ${email}`;
      throw new Error(`the database has ${which}; the first start of the server makes one`);
    }
    const password = createPassword();
    const newHash = await toPasswordHash(password);
    const by = { actor: commandActor, action: 'password.renew' } as const;
    const isReplaced = await replaceWithin(tx, { user: operator, oldHash: operator.password_hash, newHash, by });
    if (!isReplaced) throw new Error('somebody else changed the password at the same moment; run it again');
    await announce({ email: operator.email, password });
  });
