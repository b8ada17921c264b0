/** Terminals that moved to other hosts, and whose files their former host still has. */
import { MAX_LEFT_TERMINALS } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

const listStatement = sql(
  'list_left_terminals',
  `select h.id as host_id, l.terminal_id from unnest($1::uuid[]) as h (id) cross join lateral (
     select terminal_id from left_terminals where host_id = h.id order by terminal_id limit ${MAX_LEFT_TERMINALS}
   ) l`,
);

/** By host, of those that have any. */
export const listLeft = async (db: Queryable, hostIds: readonly string[]): Promise<Map<string, string[]>> => {
  const left = new Map<string, string[]>();
  for (const row of await db.query<{ host_id: string; terminal_id: string }>(listStatement, [hostIds])) {
    left.set(row.host_id, [...(left.get(row.host_id) ?? []), row.terminal_id]);
  }
  return left;
};

const forgetStatement = sql(
  'forget_removed_terminals',
  `delete from left_terminals l using unnest($1::uuid[], $2::uuid[]) as r (host_id, terminal_id)
   where l.host_id = r.host_id and l.terminal_id = r.terminal_id`,
);

/** From now on these terminals may come back to their host. */
export const forgetRemoved = async (
  db: Queryable,
  removed: readonly { hostId: string; id: string }[],
): Promise<void> => {
  if (removed.length === 0) return;
  await db.query(forgetStatement, [removed.map(({ hostId }) => hostId), removed.map(({ id }) => id)]);
};
