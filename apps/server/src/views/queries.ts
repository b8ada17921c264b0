import type { SavedView } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

const columns = `page, name, query, columns, updated_at`;

const listStatement = sql(
  'list_views',
  `select ${columns} from saved_views where user_id = $1 order by lower(name), name`,
);

/** All views of a user; their number is bounded. */
export const listViews = (db: Queryable, userId: string): Promise<SavedView[]> => db.query(listStatement, [userId]);

const countStatement = sql(
  'count_other_views',
  `select count(*) as total from saved_views where user_id = $1 and name <> $2`,
);

/** How many the user has beside that of this name. */
export const countOtherViews = async (tx: Queryable, userId: string, name: string): Promise<number> =>
  (await tx.query<{ total: number }>(countStatement, [userId, name]))[0]?.total ?? 0;

const saveStatement = sql(
  'save_view',
  `insert into saved_views (user_id, name, page, query, columns) values ($1, $2, $3, $4, $5)
   on conflict (user_id, name) do update
     set page = excluded.page, query = excluded.query, columns = excluded.columns, updated_at = now()
   returning ${columns}`,
);

export const saveView = async (
  tx: Queryable,
  userId: string,
  { name, page, query, columns: shown }: Omit<SavedView, 'updated_at'>,
): Promise<SavedView> => (await tx.query<SavedView>(saveStatement, [userId, name, page, query, shown]))[0]!;

const deleteStatement = sql('delete_view', `delete from saved_views where user_id = $1 and name = $2 returning name`);

/** @returns whether there was one */
export const deleteView = async (db: Queryable, userId: string, name: string): Promise<boolean> =>
  (await db.query(deleteStatement, [userId, name])).length > 0;
