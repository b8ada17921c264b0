import { randomBytes } from 'node:crypto';
import type { Database } from '../db/database.ts';
import { createAccount } from './create-account.ts';
import { toPasswordHash } from './password-hash.ts';
import { findOperatorEmail, lockOperatorCreation } from './queries.ts';

export interface Operator {
  email: string;
  /** Only from the call that created the account; nobody can read it again. */
  password: string | undefined;
}

/**
 * Creates the operator's account, with a generated password, unless there is one. Servers that start together take
 * turns, so that one of them creates it.
 * @throws when there is no operator and the address belongs to an ordinary account: nobody is promoted by a setting.
 */
export const ensureOperator = (db: Database, email: string): Promise<Operator> =>
  db.transaction(async (tx) => {
    await lockOperatorCreation(tx);
    const existing = await findOperatorEmail(tx);
    if (existing !== undefined) return { email: existing, password: undefined };
    const password = randomBytes(18).toString('base64url');
    const passwordHash = await toPasswordHash(password);
    const account = await createAccount(tx, { name: 'Operator', email, passwordHash, isOperator: true });
    if (!account) throw new Error(`BERTH_OPERATOR_EMAIL: ${email} already belongs to an account that is no operator`);
    return { email, password };
  });
