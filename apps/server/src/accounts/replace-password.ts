import { deletePasswordLink, deleteResetCodes, updatePasswordHash } from './credentials.ts';
import { recordAudit, type Actor } from '../audit/record.ts';
import type { Database, Transaction } from '../db/database.ts';
import { recordEvents } from '../events/record.ts';
import { deleteTokensOfUser } from '../tokens/queries.ts';
import { deleteSignInLinks } from '../tokens/sign-in-links.ts';

export interface PasswordReplacement {
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
