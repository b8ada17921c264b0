/**
 * Who holds the places of hosts, and who waits for one. What is read is bounded by what is on hosts and what waits, each
 * by an index of its own: terminals that are deleted, and users without any, are never looked at.
 */
import { HostStatus, MAX_OVERVIEW_USERS, type RegionPlaces, type UserPlaces } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

const isWaiting = 'waiting_since is not null and host_id is null and deleted_at is null';

const regionsStatement = sql(
  'list_region_places',
  `select r.id, r.label as name, r.accepts_terminals, h.*, w.waiting, w.waiting_since
   from regions r cross join lateral (
     select coalesce(sum(places), 0)::integer as capacity, coalesce(sum(terminal_count), 0)::integer as held,
       coalesce(sum(greatest(0, places - terminal_count)) filter (where status = ${HostStatus.ONLINE} and cordoned_at is null), 0)::integer as free
     from hosts where region_id = r.id and status <> ${HostStatus.RETIRED}
   ) h cross join lateral (
     select count(*) filter (where not any_region) as waiting, min(waiting_since) filter (where not any_region) as waiting_since
     from terminals where region_id = r.id and ${isWaiting}
   ) w
   order by r.id`,
);

export const listRegionPlaces = (db: Queryable): Promise<RegionPlaces[]> => db.query<RegionPlaces>(regionsStatement);

const anyRegionStatement = sql(
  'count_waiting_any_region',
  `select count(*) as total from terminals where any_region and ${isWaiting}`,
);

/** Terminals that wait for a place in whichever region. */
export const countWaitingAnyRegion = async (db: Queryable): Promise<number> =>
  (await db.query<{ total: number }>(anyRegionStatement))[0]?.total ?? 0;

/** With `offset 0`: otherwise a plan could read all terminals of the instance to find those that are on hosts. */
const usersStatement = sql(
  'list_user_places',
  `with held as (
     select t.user_id, count(*) as held from hosts h cross join lateral (
       select user_id from terminals where host_id = h.id and deleted_at is null offset 0
     ) t
     where h.status <> ${HostStatus.RETIRED} group by t.user_id
   ), waiting as (
     select user_id, count(*) as waiting from terminals where ${isWaiting} group by user_id
   ), most as (
     select user_id, coalesce(held, 0) as held, coalesce(waiting, 0) as waiting
     from held full join waiting using (user_id)
     order by coalesce(held, 0) + coalesce(waiting, 0) desc, user_id limit ${MAX_OVERVIEW_USERS}
   )
   select u.id, u.name, u.email, m.held, m.waiting from most m join users u on u.id = m.user_id
   order by m.held + m.waiting desc, u.id`,
);

/** Users who hold places or wait for them, those with most terminals first. */
export const listUserPlaces = (db: Queryable): Promise<UserPlaces[]> => db.query<UserPlaces>(usersStatement);
