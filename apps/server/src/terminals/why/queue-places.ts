/** How many terminals get a slot before one that waits: users take turns, and within a user the oldest goes first. */
import { sql, type Queryable } from '../../db/database.ts';
import { LOWEST_ID } from '../../db/ids.ts';

const isWaiting = 'waiting_since is not null and host_id is null and deleted_at is null';
/** So many of a queue are looked at: of a longer one a place may be further back. */
const LOOKED_AT = 10_001;

/**
 * In its own user's line, and with as many of each other user, whose turn comes before its own: `placement_turns` knows
 * who had the last one.
 */
const placesStatement = sql(
  'list_queue_places',
  `with asked as materialized (
     select id, region_id, platform, user_id, waiting_since from terminals where id = any($1::uuid[]) and ${isWaiting}
   ), queues as (
     select distinct region_id, platform from asked
   ), waiting as materialized (
     select q.region_id, q.platform, w.user_id, count(*) as total
     from queues q cross join lateral (
       select user_id from terminals where region_id = q.region_id and platform = q.platform and ${isWaiting}
       limit ${LOOKED_AT}
     ) w
     group by q.region_id, q.platform, w.user_id
   ), lines as (
     select a.*, coalesce(p.user_id, '${LOWEST_ID}') as last_user_id, (
       select count(*) from (
         select from terminals o
         where o.region_id = a.region_id and o.platform = a.platform and o.user_id = a.user_id
           and (o.waiting_since, o.id) <= (a.waiting_since, a.id)
           and o.waiting_since is not null and o.host_id is null and o.deleted_at is null
         limit ${LOOKED_AT}
       ) o
     ) as turn
     from asked a left join placement_turns p on p.region_id = a.region_id and p.platform = a.platform
   )
   select l.id, l.turn + coalesce((
     select sum(least(w.total, l.turn - case
       when (w.user_id <= l.last_user_id, w.user_id) > (l.user_id <= l.last_user_id, l.user_id) then 1 else 0 end))
     from waiting w
     where w.region_id = l.region_id and w.platform = l.platform and w.user_id <> l.user_id
   ), 0) as place
   from lines l`,
);

/** By id, 1 for the next one; those that do not wait are left out. @param ids at most a page */
export const listQueuePlaces = async (db: Queryable, ids: readonly string[]): Promise<Map<string, number>> => {
  const rows = ids.length === 0 ? [] : await db.query<{ id: string; place: number }>(placesStatement, [ids]);
  return new Map(rows.map(({ id, place }) => [id, place]));
};
