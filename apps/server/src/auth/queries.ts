import { sql, type Queryable } from '../db/database.ts';

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

/** The account behind an e-mail address, in whatever case it is written. */
export const findLogin = async (db: Queryable, email: string): Promise<Login | undefined> =>
  (await db.query<Login>(findLoginStatement, [email]))[0];

const insertUserStatement = sql(
  'insert_user',
  `insert into users (id, name, email, password_hash, default_project_id, is_operator)
   values ($1, $2, $3, $4, $5, $6)
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
}

/** False when the e-mail address is taken. */
export const insertUser = async (tx: Queryable, user: NewUser): Promise<boolean> => {
  const values = [user.id, user.name, user.email, user.passwordHash, user.projectId, user.isOperator];
  return (await tx.query(insertUserStatement, values)).length > 0;
};

const findPasswordHashStatement = sql('find_password_hash', `select password_hash from users where id = $1`);

export const findPasswordHash = async (db: Queryable, userId: string): Promise<string | undefined> =>
  (await db.query<{ password_hash: string }>(findPasswordHashStatement, [userId]))[0]?.password_hash;

const updatePasswordHashStatement = sql(
  'update_password_hash',
  `update users set password_hash = $2, updated_at = now() where id = $1 and password_hash = $3 returning id`,
);

/** False when the password was changed meanwhile. */
export const updatePasswordHash = async (
  tx: Queryable,
  userId: string,
  { oldHash, newHash }: { oldHash: string; newHash: string },
): Promise<boolean> => (await tx.query(updatePasswordHashStatement, [userId, newHash, oldHash])).length > 0;

const upsertResetStatement = sql(
  'upsert_password_reset',
  `insert into password_resets (user_id, code_hash, tries_left, expires_at)
   values ($1, $2, $3, now() + make_interval(secs => $4))
   on conflict (user_id) do update
   set code_hash = excluded.code_hash, tries_left = excluded.tries_left, expires_at = excluded.expires_at`,
);

/** A new code replaces the one before. */
export const upsertPasswordReset = async (
  db: Queryable,
  reset: { userId: string; codeHash: Buffer; tries: number; ttlMs: number },
): Promise<void> => {
  await db.query(upsertResetStatement, [reset.userId, reset.codeHash, reset.tries, reset.ttlMs / 1000]);
};

const takeTryStatement = sql(
  'take_password_reset_try',
  `update password_resets r set tries_left = r.tries_left - 1
   from users u
   where u.id = r.user_id and lower(u.email) = lower($1) and u.deleted_at is null
     and r.tries_left > 0 and r.expires_at > now()
   returning u.id, u.name, u.email, u.status, u.password_hash, r.code_hash`,
);

/** Uses up one try of the address's code, atomically and for good; undefined when there is no code, or no try left. */
export const takePasswordResetTry = async (
  db: Queryable,
  email: string,
): Promise<(Login & { code_hash: Buffer }) | undefined> =>
  (await db.query<Login & { code_hash: Buffer }>(takeTryStatement, [email]))[0];

const deleteResetStatement = sql('delete_password_reset', `delete from password_resets where user_id = $1`);

export const deletePasswordReset = async (tx: Queryable, userId: string): Promise<void> => {
  await tx.query(deleteResetStatement, [userId]);
};

const lockOperatorStatement = sql('lock_operator_creation', `select pg_advisory_xact_lock(4826190356)`);

/** Lets one server at a time look for the operator and create it; released with the transaction. */
export const lockOperatorCreation = async (tx: Queryable): Promise<void> => {
  await tx.query(lockOperatorStatement);
};

const findOperatorStatement = sql(
  'find_operator',
  `select id, name, email, status, password_hash from users
   where is_operator and deleted_at is null and ($1::text is null or lower(email) = lower($1))
   order by created_at, id limit 1`,
);

/** The operator of this address, in whatever case it is written; without one the first operator. */
export const findOperator = async (tx: Queryable, email: string | undefined): Promise<Login | undefined> =>
  (await tx.query<Login>(findOperatorStatement, [email ?? null]))[0];
