import type { Token } from '@berth/contract';
import { userModel } from '../account/queries.ts';
import { sql, type Queryable } from '../db/database.ts';
import { toOffset, type PageInput } from '../http/pagination.ts';

const touchStatement = sql(
  'touch_tokens',
  `update tokens set last_used_at = now() where id = any($1::bigint[]) and (last_used_at is null or last_used_at < now())`,
);

export const touchTokens = async (db: Queryable, ids: number[]): Promise<void> => {
  await db.query(touchStatement, [ids]);
};

const insertSessionStatement = sql(
  'insert_session_token',
  `insert into tokens (user_id, name, abilities, secret_hash)
   select id, 'Login', '{*}', $3 from users where id = $1 and password_hash = $2 and status = 0
   for share
   returning id`,
);

/**
 * The token of a login, for the password that was verified. It locks the user's row against a change of the password;
 * undefined when the password was changed, or the account suspended, meanwhile. May wait: not for the pipeline.
 */
export const insertSessionToken = async (
  db: Queryable,
  { userId, passwordHash, secretHash }: { userId: string; passwordHash: string; secretHash: Buffer },
): Promise<number | undefined> =>
  (await db.query<{ id: number }>(insertSessionStatement, [userId, passwordHash, secretHash]))[0]?.id;

const lockUserStatement = sql('lock_user_for_token', `select id from users where id = $1 for share`);

/** Keeps the user's password from being changed until the transaction ends. */
export const lockUserForToken = async (tx: Queryable, userId: string): Promise<void> => {
  await tx.query(lockUserStatement, [userId]);
};

const insertTokenStatement = sql(
  'insert_token',
  `insert into tokens (user_id, name, abilities, secret_hash, expires_at)
   select user_id, $2, $3, $4, $5 from tokens where id = $1
   returning id`,
);

export interface NewToken {
  /** The token that asks: its user becomes the owner. */
  callingTokenId: number;
  name: string;
  abilities: readonly string[];
  secretHash: Buffer;
  expiresAt: string | null;
}

/** Undefined when the calling token has been revoked meanwhile. */
export const insertToken = async (tx: Queryable, token: NewToken): Promise<number | undefined> => {
  const values = [token.callingTokenId, token.name, token.abilities, token.secretHash, token.expiresAt];
  return (await tx.query<{ id: number }>(insertTokenStatement, values))[0]?.id;
};

const listStatement = sql(
  'list_tokens',
  `select id, user_id as tokenable_id, name, abilities, last_used_at, expires_at, created_at, updated_at
   from tokens where user_id = $1
   order by id desc limit $2 offset $3::bigint`,
);

export const listTokens = async (db: Queryable, userId: string, page: PageInput): Promise<Token[]> => {
  type Row = Omit<Token, 'tokenable_type'>;
  const rows = await db.query<Row>(listStatement, [userId, page.per_page, toOffset(page)]);
  return rows.map((row) => ({ ...row, tokenable_type: userModel }));
};

const countStatement = sql('count_tokens', `select count(*) as total from tokens where user_id = $1`);

export const countTokens = async (db: Queryable, userId: string): Promise<number> =>
  (await db.query<{ total: number }>(countStatement, [userId]))[0]?.total ?? 0;

const deleteStatement = sql('delete_token', `delete from tokens where id = $2 and user_id = $1 returning id`);

/** False when the user has no such token. */
export const deleteToken = async (db: Queryable, userId: string, id: number): Promise<boolean> =>
  (await db.query(deleteStatement, [userId, id])).length > 0;

const deleteOfUserStatement = sql('delete_tokens_of_user', `delete from tokens where user_id = $1`);

export const deleteTokensOfUser = async (tx: Queryable, userId: string): Promise<void> => {
  await tx.query(deleteOfUserStatement, [userId]);
};
