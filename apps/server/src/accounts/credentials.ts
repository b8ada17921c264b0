import { isOver } from '../db/clock.ts';
import { sql, type Queryable } from '../db/database.ts';
import { OPERATOR_LOCK } from '../db/locks.ts';

const findLoginStatement = sql(
  'find_login',
  `select id, name, email, status, password_hash from users where lower(email) = lower($1) and deleted_at is null`,
);

export interface Login {
  id: string;
  name: string;
  email: string;
  status: number;
  password_hash: string;
}

/** The account with this e-mail address; case does not matter. */
export const findLogin = async (db: Queryable, email: string): Promise<Login | undefined> =>
  (await db.query<Login>(findLoginStatement, [email]))[0];

const insertUserStatement = sql(
  'insert_user',
  `insert into users (id, name, email, password_hash, default_project_id, is_operator, operator_role, email_verified_at)
   values ($1, $2, $3, $4, $5, $6, case when $6 then 'owner' end, case when $7::boolean then now() end)
   on conflict (lower(email)) do nothing
   returning id`,
);

export interface NewUser {
  id: string;
  name: string;
  email: string;
  passwordHash: string;
  /** Inserted later in the same transaction. */
  projectId: string;
  isOperator: boolean;
  /** The address is theirs, as an operator says. */
  isVerified: boolean;
}

/** False when the e-mail address is taken. */
export const insertUser = async (tx: Queryable, user: NewUser): Promise<boolean> => {
  const values = [user.id, user.name, user.email, user.passwordHash, user.projectId, user.isOperator, user.isVerified];
  return (await tx.query(insertUserStatement, values)).length > 0;
};

const findPasswordHashStatement = sql('find_password_hash', `select password_hash from users where id = $1`);

export const findPasswordHash = async (db: Queryable, userId: string): Promise<string | undefined> =>
  (await db.query<{ password_hash: string }>(findPasswordHashStatement, [userId]))[0]?.password_hash;

const updatePasswordHashStatement = sql(
  'update_password_hash',
  `update users set password_hash = $2, updated_at = now(),
     email_verified_at = case when $4::boolean then coalesce(email_verified_at, now()) else email_verified_at end
   where id = $1 and password_hash = $3 returning id`,
);

/** False when the password was changed in the meantime. @param hasReadMail the address is verified by that */
export const updatePasswordHash = async (
  tx: Queryable,
  userId: string,
  { oldHash, newHash, hasReadMail }: { oldHash: string; newHash: string; hasReadMail: boolean },
): Promise<boolean> =>
  (await tx.query(updatePasswordHashStatement, [userId, newHash, oldHash, hasReadMail])).length > 0;

/** Addresses of strangers are stored as a hash, which ignores case. */
const addressHash = `sha256(convert_to(lower($1), 'UTF8'))`;

const MAILS = 'make_interval(secs => $7)';

// The address's row is locked, so that concurrent requests are counted one after the other.
const issueStatement = sql(
  'issue_reset_code',
  `with mailed as (
     insert into reset_mails as m (address_hash, mails, ends_at)
     values (${addressHash}, 1, now() + make_interval(secs => $7))
     on conflict (address_hash) do update set
       mails = case when ${isOver('m.ends_at', MAILS)} then 1 else m.mails + 1 end,
       ends_at = case when ${isOver('m.ends_at', MAILS)} then excluded.ends_at else m.ends_at end
     where ${isOver('m.ends_at', MAILS)} or m.mails < $6::integer
     returning address_hash
   ), issued as (
     insert into reset_codes (id, address_hash, code_hash, tries_left, expires_at)
     select $2, address_hash, $3, $4::smallint, now() + make_interval(secs => $5) from mailed
     returning id
   )
   select u.id, u.name, u.email from issued join users u on lower(u.email) = lower($1) and u.deleted_at is null`,
);

export interface NewResetCode {
  id: string;
  email: string;
  codeHash: Buffer;
  /** By all callers together. */
  tries: number;
  ttlMs: number;
  /** At most this many codes are mailed to an address within `mailsMs`; beyond that nothing is stored. */
  maxMails: number;
  mailsMs: number;
}

/**
 * Stores a code for the address, whether or not it has an account; earlier codes stay valid.
 * @returns whom to mail it to; undefined when no account has the address, or it has received enough mails
 */
export const issueResetCode = async (
  db: Queryable,
  { id, email, codeHash, tries, ttlMs, maxMails, mailsMs }: NewResetCode,
): Promise<Pick<Login, 'id' | 'name' | 'email'> | undefined> => {
  const values = [email, id, codeHash, tries, ttlMs / 1000, maxMails, mailsMs / 1000];
  return (await db.query<Pick<Login, 'id' | 'name' | 'email'>>(issueStatement, values))[0];
};

const deleteCodeStatement = sql(
  'delete_reset_code',
  `with gone as (delete from reset_codes where id = $1 returning address_hash)
   update reset_mails m set mails = greatest(m.mails - 1, 0) from gone where m.address_hash = gone.address_hash`,
);

/** For a code that could not be mailed: it must not count against the limit of mails. */
export const deleteResetCode = async (db: Queryable, id: string): Promise<void> => {
  await db.query(deleteCodeStatement, [id]);
};

const TRIES = 'make_interval(secs => $4)';

const takeTryStatement = sql(
  'take_reset_code_try',
  `with tried as (
     insert into reset_tries as r (address_hash, caller_hash, tries, ends_at)
     values (${addressHash}, sha256(convert_to($2, 'UTF8')), 1, now() + make_interval(secs => $4))
     on conflict (address_hash, caller_hash) do update set
       tries = case when ${isOver('r.ends_at', TRIES)} then 1 else r.tries + 1 end,
       ends_at = case when ${isOver('r.ends_at', TRIES)} then excluded.ends_at else r.ends_at end
     where ${isOver('r.ends_at', TRIES)} or r.tries < $3::integer
     returning address_hash
   ), taken as (
     update reset_codes c set tries_left = c.tries_left - 1 from tried
     where c.address_hash = tried.address_hash and c.tries_left > 0 and c.expires_at > now()
     returning c.code_hash
   )
   select t.code_hash, u.id, u.name, u.email, u.status, u.password_hash
   from taken t left join users u on lower(u.email) = lower($1) and u.deleted_at is null`,
);

export interface NewResetTry {
  email: string;
  /** Identifies the caller in limits by address. */
  caller: string;
  /** A caller has this many tries for an address within `triesMs`. */
  maxTries: number;
  triesMs: number;
}

/** A valid code of the address, and its user: null where the address has no account. */
export type ResetTry = { code_hash: Buffer } & (Login | { id: null });

/**
 * Atomically uses up one try of the caller, and of each valid code of the address.
 * @returns nothing when the caller has no try left; the codes then lose none
 */
export const takeResetCodeTry = (
  db: Queryable,
  { email, caller, maxTries, triesMs }: NewResetTry,
): Promise<ResetTry[]> => db.query<ResetTry>(takeTryStatement, [email, caller, maxTries, triesMs / 1000]);

const deleteCodesStatement = sql(
  'delete_reset_codes_of_user',
  `delete from reset_codes
   where address_hash = (select sha256(convert_to(lower(email), 'UTF8')) from users where id = $1)`,
);

export const deleteResetCodes = async (tx: Queryable, userId: string): Promise<void> => {
  await tx.query(deleteCodesStatement, [userId]);
};

const deletePasswordLinkStatement = sql('delete_password_link', `delete from password_links where user_id = $1`);

/** Call it when the password changes: a link that sets another one must not outlive it. */
export const deletePasswordLink = async (tx: Queryable, userId: string): Promise<void> => {
  await tx.query(deletePasswordLinkStatement, [userId]);
};

const lockOperatorStatement = sql('lock_operator_creation', `select pg_advisory_xact_lock(${OPERATOR_LOCK})`);

/** Lets one server at a time look for the operator and create it; released with the transaction. */
export const lockOperatorCreation = async (tx: Queryable): Promise<void> => {
  await tx.query(lockOperatorStatement);
};

const findOperatorStatement = sql(
  'find_operator',
  `select id, name, email, status, password_hash from users
   where is_operator and deleted_at is null and ($1::text is null or lower(email) = lower($1))
   order by coalesce(operator_role, 'owner') = 'owner' desc, created_at, id limit 1`,
);

/** The operator with this address (case does not matter); without an address, the first owner. */
export const findOperator = async (tx: Queryable, email: string | undefined): Promise<Login | undefined> =>
  (await tx.query<Login>(findOperatorStatement, [email ?? null]))[0];
