import { sql, type Queryable } from '../db/database.ts';

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
