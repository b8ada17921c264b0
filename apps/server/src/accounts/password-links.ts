/**
 * Links with which a user sets a password: for a new user, and for one who has lost it where no mails are sent. As with
 * sign-in links, the code is in the fragment (`#`) of the URL. A user has one at a time, and it works once.
 */
import { AccountStatus } from '@berth/contract';
import { toUserActor } from '../audit/record.ts';
import { sql, type Database, type Queryable } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import { createSecret, isSecret, toSecretHash } from '../secrets/token-secret.ts';
import { isUuid } from '../validation/uuid.ts';
import { replaceWithin } from './passwords.ts';

const PASSWORD_LINK_HOURS = 72;

const writeStatement = sql(
  'write_password_link',
  `insert into password_links (user_id, id, secret_hash, expires_at)
   values ($1, $2, $3, now() + make_interval(hours => ${PASSWORD_LINK_HOURS}))
   on conflict (user_id) do update set id = excluded.id, secret_hash = excluded.secret_hash, expires_at = excluded.expires_at
   returning expires_at`,
);

/** @returns the code of a new link, `<id>.<secret>`, which cannot be read again; earlier ones of the user end */
export const createPasswordCode = async (
  tx: Queryable,
  userId: string,
): Promise<{ code: string; expiresAt: string }> => {
  const [id, secret] = [createId(), createSecret()];
  const values = [userId, id, toSecretHash(secret)];
  const [row] = await tx.query<{ expires_at: string }>(writeStatement, values);
  return { code: `${id}.${secret}`, expiresAt: row?.expires_at ?? '' };
};

const findStatement = sql(
  'find_password_link',
  `select id from password_links where id = $1 and secret_hash = $2 and expires_at > now()`,
);
const takeStatement = sql(
  'take_password_link',
  `delete from password_links where id = $1 and secret_hash = $2 and expires_at > now() returning user_id`,
);
const lockStatement = sql(
  'lock_user_for_password_link',
  `select id, name, password_hash from users
   where id = $1 and status = ${AccountStatus.ACTIVE} and deleted_at is null for no key update`,
);

/**
 * Redeems a link: sets the password, and ends all sessions and tokens. @returns false when the link was used, has ended or
 * never existed, or the account is not active
 * @param address where the request came from
 * @param hash computed only for a link that is there, and outside of the transaction
 */
export const usePasswordCode = async (
  db: Database,
  { code, address }: { code: string; address: string },
  hash: () => Promise<string>,
): Promise<boolean> => {
  const [id = '', secret = '', rest] = code.split('.');
  if (rest !== undefined || !isUuid(id) || !isSecret(secret)) return false;
  const values = [id, toSecretHash(secret)];
  if ((await db.query(findStatement, values)).length === 0) return false;
  const newHash = await hash();
  return db.transaction(async (tx) => {
    const [link] = await tx.query<{ user_id: string }>(takeStatement, values);
    if (!link) return false;
    const [user] = await tx.query<{ id: string; name: string; password_hash: string }>(lockStatement, [link.user_id]);
    if (!user) return false;
    const by = { actor: toUserActor(user.id, address), action: 'password.set' } as const;
    return replaceWithin(tx, { user, oldHash: user.password_hash, newHash, by });
  });
};
