import { sql, type Queryable } from '../db/database.ts';
import { insertUser } from './credentials.ts';
import { createId } from '../db/ids.ts';
import { insertProject } from '../projects/queries.ts';

const DEFAULT_PROJECT = 'Default project';

interface NewAccount {
  name: string;
  email: string;
  passwordHash: string;
  isOperator?: boolean;
  isVerified?: boolean;
}

/** A user and their first project, each naming the other. Undefined when the e-mail address is taken. */
export const createAccount = async (
  tx: Queryable,
  { name, email, passwordHash, isOperator = false, isVerified = false }: NewAccount,
): Promise<{ id: string } | undefined> => {
  const id = createId();
  const projectId = createId();
  const isCreated = await insertUser(tx, { id, name, email, passwordHash, projectId, isOperator, isVerified });
  if (!isCreated) return undefined;
  await insertProject(tx, { id: projectId, userId: id, name: DEFAULT_PROJECT, description: null });
  return { id };
};

const DAY_MS = 86_400_000;

/** Days left to claim the welcome offer, rounded up; 0 once it has expired or been claimed. */
export const toWelcomeDays = (
  user: { created_at: string; welcome_claimed_at: string | null },
  welcomeDays: number,
  nowMs: number,
): number => {
  if (user.welcome_claimed_at !== null) return 0;
  const endMs = Date.parse(user.created_at) + welcomeDays * DAY_MS;
  return Math.min(welcomeDays, Math.max(0, Math.ceil((endMs - nowMs) / DAY_MS)));
};

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
