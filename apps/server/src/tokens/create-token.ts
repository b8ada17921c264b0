import type { Database, Queryable } from '../db/database.ts';
import { insertNotifications } from '../notifications/queries.ts';
import { insertSessionToken, insertToken, lockUserForToken, type NewToken } from './queries.ts';
import { createSecret, toSecretHash } from './token-secret.ts';

/** `<id>|<secret>` of a login; undefined when the password was changed meanwhile. */
export const createSessionToken = async (
  db: Queryable,
  { userId, passwordHash }: { userId: string; passwordHash: string },
): Promise<string | undefined> => {
  const secret = createSecret();
  const id = await insertSessionToken(db, { userId, passwordHash, secretHash: toSecretHash(secret) });
  return id === undefined ? undefined : `${id}|${secret}`;
};

/** `<id>|<secret>` of an API token, and the notification of it; undefined when the calling token was revoked meanwhile. */
export const createApiToken = async (
  db: Database,
  userId: string,
  token: Omit<NewToken, 'secretHash'>,
): Promise<string | undefined> => {
  const secret = createSecret();
  const id = await db.transaction(async (tx) => {
    await lockUserForToken(tx, userId);
    const created = await insertToken(tx, { ...token, secretHash: toSecretHash(secret) });
    if (created !== undefined) {
      await insertNotifications(tx, [{ userId, type: 'TokenCreated', id: String(created), name: token.name }]);
    }
    return created;
  });
  return id === undefined ? undefined : `${id}|${secret}`;
};
