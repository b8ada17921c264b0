import { MAX_TAGS } from '@berth/contract';
import { sql, type Transaction } from '../db/database.ts';

/** Locked in the order of their ids, so that two of these wait for each other instead of deadlocking. */
const tagStatement = sql(
  'tag_terminals',
  `with chosen as materialized (
     select id, tags from terminals where user_id = $1 and deleted_at is null and id = any($2::uuid[])
     order by id for no key update
   ), next as (
     select id, tags as old,
       array(
         select distinct tag from unnest(tags || $3::text[]) as tag where tag <> all($4::text[]) order by tag
       ) as tags
     from chosen
   ), changed as (
     update terminals t set tags = n.tags, updated_at = now() from next n
     where t.id = n.id and cardinality(n.tags) <= $5 and n.tags <> n.old
   )
   select id, cardinality(tags) > $5 as is_full from next`,
);

export interface TagRequest {
  /** UUIDs, each once. */
  ids: readonly string[];
  add: readonly string[];
  remove: readonly string[];
}

/** Adds tags to terminals of the user, and removes others; one that is in both lists is removed. */
export const tagTerminals = async (
  tx: Transaction,
  userId: string,
  { ids, add, remove }: TagRequest,
): Promise<{ terminals: number; full: string[] }> => {
  const rows = await tx.query<{ id: string; is_full: boolean }>(tagStatement, [userId, ids, add, remove, MAX_TAGS]);
  const full = rows.flatMap(({ id, is_full: isFull }) => (isFull ? [id] : []));
  return { terminals: rows.length - full.length, full };
};
