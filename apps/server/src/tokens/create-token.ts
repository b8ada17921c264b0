import { MAX_TOKENS } from '@berth/contract';
import { recordAudit, type Actor } from '../audit/record.ts';
import type { Database, Queryable } from '../db/database.ts';
import { recordEvents } from '../events/record.ts';
import { createSecret, toSecretHash } from '../secrets/token-secret.ts';
import {
  countTokensByKind,
  deleteExpiredTokens,
  deleteStaleLogins,
  insertSessionToken,
  insertToken,
  lockUserForLogin,
  lockUserForToken,
  type NewLogin,
  type NewToken,
  type TokenCounts,
} from './queries.ts';

/** One slot is reserved for logins: an account full of API tokens must not lock its owner out. */
const MAX_MADE = MAX_TOKENS - 1;

/**
 * The tokens of the user, whose row the transaction has locked; expired ones are removed first, so that they do not
 * count.
 */
const countTokens = async (tx: Queryable, userId: string): Promise<TokenCounts> => {
  const counts = await countTokensByKind(tx, userId);
  if (counts.logins + counts.made < MAX_TOKENS) return counts;
  await deleteExpiredTokens(tx, userId);
  return countTokensByKind(tx, userId);
};

/**
 * `<id>|<secret>` of a login; undefined when the password was changed in the meantime. Where the account has reached
 * its limit of tokens, the least recently used login is removed.
 * @param device of the browser whose session it is; null: a program's token
 */
export const createSessionToken = async (
  tx: Queryable,
  { userId, passwordHash }: { userId: string; passwordHash: string },
  device: string | null = null,
): Promise<string | undefined> =>
  (await lockUserForLogin(tx, userId, passwordHash))
    ? createLoginToken(tx, { userId, device, isConfirmed: true })
    : undefined;

/** The same for a user whose row the transaction has locked. */
export const createLoginToken = async (tx: Queryable, login: NewLogin): Promise<string> => {
  const { userId } = login;
  const { logins, made } = await countTokens(tx, userId);
  const surplus = logins + made + 1 - MAX_TOKENS;
  if (surplus > 0) await deleteStaleLogins(tx, userId, surplus);
  const secret = createSecret();
  return `${await insertSessionToken(tx, login, toSecretHash(secret))}|${secret}`;
};

/**
 * `<id>|<secret>` of an API token, and its notification.
 * @returns `limit` when the account has reached its limit of tokens, `revoked` when the calling token was revoked in
 *   the meantime, `too_long` when it expires before the new one would
 */
export const createApiToken = async (
  db: Database,
  actor: Actor,
  userId: string,
  token: Omit<NewToken, 'secretHash'>,
): Promise<{ token: string } | 'limit' | 'revoked' | 'too_long'> =>
  db.transactionFor(userId, async (tx) => {
    await lockUserForToken(tx, userId);
    const { logins, made } = await countTokens(tx, userId);
    if (logins + made >= MAX_TOKENS || made >= MAX_MADE) return 'limit';
    const secret = createSecret();
    const id = await insertToken(tx, { ...token, secretHash: toSecretHash(secret) });
    if (id === 'revoked' || id === 'too_long') return id;
    const { name, abilities, expiresAt: expires_at } = token;
    const target = { type: 'token', id: String(id) };
    await recordAudit(tx, actor, { action: 'token.create', target, after: { name, abilities, expires_at } });
    const data = { token_id: id, name };
    await recordEvents(tx, [{ type: 'security.token_created', userId, terminalId: null, data }]);
    return { token: `${id}|${secret}` };
  });
