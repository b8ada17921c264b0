import { sql, type Queryable } from '../db/database.ts';

const touchStatement = sql(
  'touch_tokens',
  `update tokens set last_used_at = now() where id = any($1::bigint[]) and (last_used_at is null or last_used_at < now())`,
);

export const touchTokens = async (db: Queryable, ids: number[]): Promise<void> => {
  await db.query(touchStatement, [ids]);
};
