/**
 * Links that sign a user in once. The code is in the fragment (`#`) of the URL, which a browser does not send: no log
 * of a server or proxy contains it. The page posts it. Using it deletes its row, so that of two who have it one is
 * refused.
 */
import { AccountStatus } from '@berth/contract';
import { sql, type Database, type Queryable } from '../db/database.ts';
import { noteSignIn, recordSignIn, type SignInPlace } from './sign-ins.ts';
import { createId } from '../db/ids.ts';
import { createSecret, isSecret, toSecretHash } from '../secrets/token-secret.ts';
import { isUuid } from '../validation/uuid.ts';
import { createLoginToken } from './create-token.ts';

/** As long as a person needs who reads it on the terminal. */
export const SIGN_IN_LINK_MINUTES = 15;

const insertStatement = sql(
  'insert_sign_in_link',
  `insert into sign_in_links (id, user_id, secret_hash, expires_at) values ($1, $2, $3, now() + make_interval(mins => $4))`,
);

/** @returns the code of a new link, `<id>.<secret>`: it cannot be read again */
export const createSignInCode = async (db: Queryable, userId: string): Promise<string> => {
  const id = createId();
  const secret = createSecret();
  await db.query(insertStatement, [id, userId, toSecretHash(secret), SIGN_IN_LINK_MINUTES]);
  return `${id}.${secret}`;
};

const takeStatement = sql(
  'take_sign_in_link',
  `delete from sign_in_links where id = $1 and secret_hash = $2 and expires_at > now() returning user_id`,
);
const lockStatement = sql(
  'lock_user_for_link',
  `select name, email from users where id = $1 and status = ${AccountStatus.ACTIVE} and deleted_at is null for no key update`,
);

/**
 * Redeems a link: the session's token; undefined when it was used, has expired or never existed, or the account is not
 * active.
 */
export const useSignInCode = async (
  db: Database,
  code: string,
  place: SignInPlace,
): Promise<{ user: { name: string; email: string }; token: string } | undefined> => {
  const [id = '', secret = '', rest] = code.split('.');
  if (rest !== undefined || !isUuid(id) || !isSecret(secret)) return undefined;
  return db.transaction(async (tx) => {
    const [link] = await tx.query<{ user_id: string }>(takeStatement, [id, toSecretHash(secret)]);
    if (!link) return undefined;
    const [user] = await tx.query<{ name: string; email: string }>(lockStatement, [link.user_id]);
    if (!user) return undefined;
    await noteSignIn(tx, link.user_id, place);
    const token = await createLoginToken(tx, { userId: link.user_id, device: place.device, isConfirmed: false });
    await recordSignIn(tx, link.user_id, token, { address: place.address, device: place.device, isSession: true });
    return { user, token };
  });
};

const deleteStatement = sql('delete_sign_in_links_of_user', `delete from sign_in_links where user_id = $1`);

/** Call it when the password changes: a link that signs in without it must not outlive it. */
export const deleteSignInLinks = async (tx: Queryable, userId: string): Promise<void> => {
  await tx.query(deleteStatement, [userId]);
};
