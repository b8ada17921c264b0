import type { Project } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { isOlder, toKey, toOffset, type PageInput } from '../db/page.ts';

const columns = `id, name, description, created_at, updated_at`;

type Row = Pick<Project, 'id' | 'name' | 'description' | 'created_at' | 'updated_at'>;
type Use = Pick<Project, 'resources_count' | 'used_at'>;

/** Read by clients of this family of services; Berth has no such thing. */
const NONE = 0;
const FIXED = { url: null, type: NONE, charge: 0, soft_limit: null, hard_limit: null, status: NONE } as const;

const toProject = (row: Row & Use): Project => ({ ...row, ...FIXED });

/** Two columns of the project in the given table. */
const toUse = (table: string): string =>
  `(select count(*) from terminals where project_id = ${table}.id and deleted_at is null) as resources_count,
   (select max(created_at) from terminals where project_id = ${table}.id and deleted_at is null) as used_at`;

const insertStatement = sql(
  'insert_project',
  `insert into projects (id, user_id, name, description) values ($1, $2, $3, $4) returning ${columns}`,
);

export interface NewProject {
  id: string;
  userId: string;
  name: string;
  description: string | null;
}

export const insertProject = async (db: Queryable, project: NewProject): Promise<Project> => {
  const values = [project.id, project.userId, project.name, project.description];
  const [row] = await db.query<Row>(insertStatement, values);
  if (!row) throw new Error('insert_project returned no row');
  return toProject({ ...row, resources_count: 0, used_at: null });
};

const lockUserStatement = sql('lock_user_for_project', `select id from users where id = $1 for no key update`);
const countOwnStatement = sql('count_own_projects', `select count(*) as total from projects where user_id = $1`);

/** Counts a user's projects; until the transaction ends nobody else can count them, so that a limit cannot be raced. */
export const countOwnProjectsLocked = async (tx: Queryable, userId: string): Promise<number> => {
  await tx.query(lockUserStatement, [userId]);
  return (await tx.query<{ total: number }>(countOwnStatement, [userId]))[0]?.total ?? 0;
};

const findStatement = sql('find_project', `select ${columns} from projects where id = $2 and user_id = $1`);

/** The user's project, without its contents. `id` must be a UUID. */
export const findProject = async (db: Queryable, userId: string, id: string): Promise<Row | undefined> =>
  (await db.query<Row>(findStatement, [userId, id]))[0];

const updateStatement = sql(
  'update_project',
  `update projects set name = coalesce($3, name), description = case when $4 then $5 else description end, updated_at = now()
   where id = $2 and user_id = $1 returning ${columns}, ${toUse('projects')}`,
);

export interface ProjectUpdate {
  name: string | undefined;
  /** null: none; undefined: unchanged. */
  description: string | null | undefined;
}

/** Undefined when the user has no such project. */
export const updateProject = async (
  db: Queryable,
  userId: string,
  id: string,
  { name, description }: ProjectUpdate,
): Promise<Project | undefined> => {
  const values = [userId, id, name ?? null, description !== undefined, description ?? null];
  const [row] = await db.query<Row & Use>(updateStatement, values);
  return row && toProject(row);
};

/** `position` takes the text literally: `%` and `_` are not special. */
const matches = `($2::text is null or position(lower($2) in lower(name)) > 0)`;

const listStatement = sql(
  'list_projects',
  `select ${columns}, ${toUse('projects')} from projects where user_id = $1 and ${matches} and ${isOlder(5)}
   order by created_at desc, id desc limit $3 offset $4::bigint`,
);

/** A page, newest first. Pass it the owner's slow connections: the terminals of each project are counted. */
export const listProjects = async (
  db: Queryable,
  userId: string,
  search: string | null,
  page: PageInput,
): Promise<Project[]> =>
  (await db.query<Row & Use>(listStatement, [userId, search, page.per_page, toOffset(page), ...toKey(page, 2)])).map(
    toProject,
  );

const countStatement = sql(
  'count_projects',
  `select count(*) as total from (select from projects where user_id = $1 and ${matches} limit $3) counted`,
);

/** @param atMost counts no further; null: all */
export const countProjects = async (
  db: Queryable,
  userId: string,
  search: string | null,
  atMost: number | null,
): Promise<number> => (await db.query<{ total: number }>(countStatement, [userId, search, atMost]))[0]?.total ?? 0;
