import type { AccountStatus } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

export interface User {
  id: string;
  name: string;
  email: string;
  email_verified_at: string | null;
  plan: number;
  status: AccountStatus;
  is_operator: boolean;
  balance: number;
  default_project_id: string;
  plan_expires_at: string | null;
  referrer_id: string | null;
  welcome_claimed_at: string | null;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}

const callersStatement = sql(
  'find_callers',
  `select t.id as token_id, t.secret_hash, t.abilities, t.expires_at, t.last_used_at, t.is_session,
     u.id, u.name, u.email, u.email_verified_at, u.plan, u.status, u.is_operator, u.balance, u.default_project_id,
     u.plan_expires_at, u.referrer_id, u.welcome_claimed_at, u.created_at, u.updated_at, u.deleted_at
   from tokens t join users u on u.id = t.user_id
   where t.id = any($1::bigint[]) and (t.expires_at is null or t.expires_at > now()) and u.deleted_at is null`,
);

export interface CallerRow extends User {
  token_id: number;
  secret_hash: Buffer;
  is_session: boolean;
  abilities: string[];
  expires_at: string | null;
  last_used_at: string | null;
}

/** The tokens with their users, in the order of the ids; undefined where the token is unknown, revoked or expired. */
export const findCallers = async (db: Queryable, tokenIds: number[]): Promise<(CallerRow | undefined)[]> => {
  const rows = await db.query<CallerRow>(callersStatement, [tokenIds]);
  const byToken = new Map(rows.map((row) => [row.token_id, row]));
  return tokenIds.map((id) => byToken.get(id));
};

/** What the API calls the owner of tokens and notifications. */
export const userModel = 'App\\Models\\User';

/** The project is locked, so that nobody deletes it before it becomes the default. */
const updateProfileStatement = sql(
  'update_profile',
  `with project as (
     select id from projects where id = $3::uuid and user_id = $1 for key share
   )
   update users
   set name = coalesce($2, name), default_project_id = coalesce($3::uuid, default_project_id), updated_at = now()
   where id = $1 and ($3::uuid is null or exists (select from project))
   returning id`,
);

/** False, and nothing changed, when the project is not the user's. `projectId` must be a UUID. */
export const updateProfile = async (
  db: Queryable,
  userId: string,
  { name, projectId }: { name: string | undefined; projectId: string | undefined },
): Promise<boolean> => (await db.query(updateProfileStatement, [userId, name ?? null, projectId ?? null])).length > 0;

/** Far more than any instance has. */
const MAX_OPERATORS = 100;

const operatorsStatement = sql(
  'list_operators',
  `select id from users where is_operator and deleted_at is null order by created_at, id limit ${MAX_OPERATORS}`,
);

/** The ids of the operators. */
export const listOperators = async (db: Queryable): Promise<string[]> =>
  (await db.query<{ id: string }>(operatorsStatement)).map(({ id }) => id);
