import { AccountStatus, userModel, type BrowserSession, type Token } from '@berth/contract';
import { sql, type Queryable, type Transaction } from '../db/database.ts';
import { MAX_BIGINT, toKey, toOffset, type PageInput } from '../db/page.ts';
import { CONFIRMED_MINUTES } from './callers.ts';

/** A session ends when it was not used for this long, and after a maximum age in any case. */
const SESSION_IDLE = '14 days';
const SESSION_LIFE = '90 days';

const sessionExpiry = (createdAt: string): string =>
  `least(now() + interval '${SESSION_IDLE}', ${createdAt} + interval '${SESSION_LIFE}')`;

const touchStatement = sql(
  'touch_tokens',
  `update tokens set last_used_at = now(),
     expires_at = case when is_session then ${sessionExpiry('created_at')} else expires_at end
   where id = any($1::bigint[]) and (last_used_at is null or last_used_at < now())`,
);

/** Records that they were used, which extends sessions. */
export const touchTokens = async (db: Queryable, ids: number[]): Promise<void> => {
  await db.query(touchStatement, [ids]);
};

const lockLoginStatement = sql(
  'lock_user_for_login',
  `select id from users where id = $1 and password_hash = $2 and status = ${AccountStatus.ACTIVE} for no key update`,
);

/**
 * Locks the user's row until the transaction ends, against a change of the password and against others who count the
 * tokens. False when the password was changed, or the account suspended, since it was verified.
 */
export const lockUserForLogin = async (tx: Queryable, userId: string, passwordHash: string): Promise<boolean> =>
  (await tx.query(lockLoginStatement, [userId, passwordHash])).length > 0;

const insertSessionStatement = sql(
  'insert_session_token',
  `insert into tokens (user_id, name, abilities, secret_hash, is_login, is_session, device, expires_at, confirmed_at)
   values ($1, 'Login', '{*}', $2, true, $3::text is not null, $3,
     case when $3::text is not null then ${sessionExpiry('now()')} end, case when $4::boolean then now() end)
   returning id`,
);

const confirmStatement = sql(
  'confirm_session',
  `update tokens set confirmed_at = now() where id = $1 and user_id = $2
   returning confirmed_at + interval '${CONFIRMED_MINUTES} minutes' as confirmed_until`,
);

/** That the user has given the password. @returns until when that counts; undefined: the session has ended */
export const confirmSession = async (tx: Queryable, userId: string, tokenId: number): Promise<string | undefined> =>
  (await tx.query<{ confirmed_until: string }>(confirmStatement, [tokenId, userId]))[0]?.confirmed_until;

/** Of a login. */
export interface NewLogin {
  userId: string;
  /** Of a browser, whose token is a session's; null: a program's. */
  device: string | null;
  /** The password was given: a session is confirmed from its start on. */
  isConfirmed: boolean;
}

/** The token of a login. */
export const insertSessionToken = async (
  tx: Queryable,
  { userId, device, isConfirmed }: NewLogin,
  secretHash: Buffer,
): Promise<number> => {
  const values = [userId, secretHash, device, isConfirmed];
  const [row] = await tx.query<{ id: number }>(insertSessionStatement, values);
  if (!row) throw new Error('insert_session_token returned no row');
  return row.id;
};

const lockUserStatement = sql('lock_user_for_token', `select id from users where id = $1 for no key update`);

/** Locks the user's row until the transaction ends, as a login does. */
export const lockUserForToken = async (tx: Queryable, userId: string): Promise<void> => {
  await tx.query(lockUserStatement, [userId]);
};

const countByKindStatement = sql(
  'count_tokens_by_kind',
  `select count(*) filter (where is_login) as logins, count(*) filter (where not is_login) as made
   from tokens where user_id = $1`,
);

export interface TokenCounts {
  /** Tokens of logins. */
  logins: number;
  /** Tokens that the user created. */
  made: number;
}

/** Exact until the transaction ends, once the user's row is locked. */
export const countTokensByKind = async (tx: Queryable, userId: string): Promise<TokenCounts> =>
  (await tx.query<TokenCounts>(countByKindStatement, [userId]))[0] ?? { logins: 0, made: 0 };

const deleteExpiredStatement = sql(
  'delete_expired_tokens',
  `delete from tokens where user_id = $1 and expires_at <= now()`,
);

export const deleteExpiredTokens = async (tx: Queryable, userId: string): Promise<void> => {
  await tx.query(deleteExpiredStatement, [userId]);
};

const deleteStaleLoginsStatement = sql(
  'delete_stale_logins',
  `delete from tokens where id in (
     select id from tokens where user_id = $1 and is_login
     order by coalesce(last_used_at, created_at), id limit $2
   )`,
);

/** Deletes the given number of least recently used login tokens. */
export const deleteStaleLogins = async (tx: Queryable, userId: string, number: number): Promise<void> => {
  await tx.query(deleteStaleLoginsStatement, [userId, number]);
};

/** A session's expiry moves with each use, so it does not limit the new token. */
const insertTokenStatement = sql(
  'insert_token',
  `with caller as (
     select user_id, is_session or expires_at is null or coalesce($5::timestamptz, 'infinity') <= expires_at as is_covered
     from tokens where id = $1
   ), made as (
     insert into tokens (user_id, name, abilities, secret_hash, expires_at)
     select user_id, $2, $3, $4, $5 from caller where is_covered
     returning id
   )
   select (select id from made) as id from caller`,
);

export interface NewToken {
  /** The calling token: its user becomes the owner. */
  callingTokenId: number;
  name: string;
  abilities: readonly string[];
  secretHash: Buffer;
  expiresAt: string | null;
}

/**
 * @returns `revoked` when the calling token was revoked in the meantime, `too_long` when it expires before the new one
 *   would
 */
export const insertToken = async (tx: Queryable, token: NewToken): Promise<number | 'revoked' | 'too_long'> => {
  const values = [token.callingTokenId, token.name, token.abilities, token.secretHash, token.expiresAt];
  const [row] = await tx.query<{ id: number | null }>(insertTokenStatement, values);
  return row ? (row.id ?? 'too_long') : 'revoked';
};

const listStatement = sql(
  'list_tokens',
  `select id, user_id as tokenable_id, name, abilities, last_used_at, expires_at, created_at, updated_at
   from tokens where user_id = $1 and not is_session and id < coalesce($4::bigint, ${MAX_BIGINT})
   order by id desc limit $2 offset $3::bigint`,
);

export const listTokens = async (db: Queryable, userId: string, page: PageInput): Promise<Token[]> => {
  type Row = Omit<Token, 'tokenable_type'>;
  const rows = await db.query<Row>(listStatement, [userId, page.per_page, toOffset(page), ...toKey(page, 1)]);
  return rows.map((row) => ({ ...row, tokenable_type: userModel }));
};

const countStatement = sql(
  'count_tokens',
  `select count(*) as total from tokens where user_id = $1 and not is_session`,
);

export const countTokens = async (db: Queryable, userId: string): Promise<number> =>
  (await db.query<{ total: number }>(countStatement, [userId]))[0]?.total ?? 0;

const deleteStatement = sql(
  'delete_token',
  `delete from tokens where id = $2 and user_id = $1 and is_session = $3 returning name, device`,
);

/** What was deleted; undefined when the user has no such token, or none of this kind. */
export const deleteToken = async (
  tx: Transaction,
  userId: string,
  id: number,
  { isSession }: { isSession: boolean },
): Promise<{ name: string; device: string | null } | undefined> =>
  (await tx.query<{ name: string; device: string | null }>(deleteStatement, [userId, id, isSession]))[0];

const listSessionsStatement = sql(
  'list_sessions',
  `select id, device, id = $2::bigint as is_current, last_used_at, expires_at, created_at
   from tokens where user_id = $1 and is_session and expires_at > now()
   order by coalesce(last_used_at, created_at) desc, id desc`,
);

/** The user's active sessions; an account has at most a hundred. */
export const listSessions = (db: Queryable, userId: string, callingTokenId: number): Promise<BrowserSession[]> =>
  db.query<BrowserSession>(listSessionsStatement, [userId, callingTokenId]);

const deleteOthersStatement = sql(
  'delete_other_sessions',
  `delete from tokens where user_id = $1 and is_session and id <> $2`,
);

/** Ends the user's sessions, except the calling one. */
export const deleteOtherSessions = async (tx: Transaction, userId: string, callingTokenId: number): Promise<void> => {
  await tx.query(deleteOthersStatement, [userId, callingTokenId]);
};

const deleteOfUserStatement = sql('delete_tokens_of_user', `delete from tokens where user_id = $1`);

export const deleteTokensOfUser = async (tx: Queryable, userId: string): Promise<void> => {
  await tx.query(deleteOfUserStatement, [userId]);
};
