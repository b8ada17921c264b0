/**
 * Tasks that slipped in while their terminal changed: created at the same moment, they are on its previous host, or wait
 * for a terminal that failed or is being destroyed. They are found by going from terminal to terminal in the index of
 * open tasks, however many tasks each has.
 */
import { HostStatus, TaskStatus, TerminalStatus } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { LOWEST_ID } from '../db/ids.ts';
import { isWaiting, selectOpen } from './queue.ts';

const { DESTROYING, FAILED } = TerminalStatus;

/** A terminal with open tasks on a host, or on none. */
export interface Place {
  host_id: string | null;
  terminal_id: string;
}

/** Where to begin: before all others. */
export const FIRST_PLACE: Place = { host_id: LOWEST_ID, terminal_id: LOWEST_ID };

export interface LookedAt extends Place {
  /** Counted from the place where the look began. */
  number: number;
  status_reason: string | null;
  /** The terminal is being destroyed, or gone. */
  is_leaving: boolean;
  /** It was not installed. */
  is_failed: boolean;
  /** It is on another host. */
  is_moved: boolean;
}

/** Hosts first, and then what has none: the order of the index. */
const lookStatement = sql(
  'look_for_stray_tasks',
  `with recursive places as (
     select $1::uuid as host_id, $2::uuid as terminal_id, 0 as number
     union all
     select n.host_id, n.terminal_id, p.number + 1 from places p cross join lateral (
       (select host_id, terminal_id from tasks
        where finished_at is null and (host_id, terminal_id) > (p.host_id, p.terminal_id)
        order by host_id, terminal_id limit 1)
       union all
       (select host_id, terminal_id from tasks
        where finished_at is null and host_id is null
          and terminal_id > case when p.host_id is null then p.terminal_id else '${LOWEST_ID}' end
        order by host_id, terminal_id limit 1)
       limit 1
     ) n
     where p.number < $3
   ), looked_at as (
     select p.*, tm.status_reason,
       coalesce(tm.deleted_at is not null or tm.status = ${DESTROYING}, false) as is_leaving,
       coalesce(tm.status = ${FAILED}, false) as is_failed,
       tm.deleted_at is null and tm.host_id is not null and tm.host_id is distinct from p.host_id and (
         p.host_id is null or (select h.status from hosts h where h.id = p.host_id) = ${HostStatus.RETIRED}
       ) as is_moved
     from places p left join lateral (select * from terminals where id = p.terminal_id offset 0) tm on true
     where p.number > 0
   )
   select * from looked_at
   where is_leaving or is_failed or is_moved or number = (select max(number) from looked_at)
   order by number`,
);

/**
 * Looks at the next places with open tasks. @returns those where tasks may have strayed, and the last one that was looked
 * at: with a lower number than `limit`, it is the last of all
 */
export const lookForStrays = (tx: Queryable, after: Place, limit: number): Promise<LookedAt[]> =>
  tx.query<LookedAt>(lookStatement, [after.host_id, after.terminal_id, limit]);

/** Places as the values of a statement. */
export const toColumns = (places: readonly Place[]): [(string | null)[], string[]] => [
  places.map((place) => place.host_id),
  places.map((place) => place.terminal_id),
];

const adoptStatement = sql(
  'adopt_stray_tasks',
  `update tasks t
   set host_id = a.host_id, state_since = case when t.status = ${TaskStatus.QUEUED} then now() else t.state_since end
   from (
     select o.id, tm.host_id from unnest($1::uuid[], $2::uuid[]) as p (host_id, terminal_id)
     cross join lateral (select host_id from terminals where id = p.terminal_id and deleted_at is null offset 0) tm
     cross join lateral ${selectOpen('p')} o
     where tm.host_id is not null and ${isWaiting('o')}
     limit $3
   ) a
   where t.id = a.id and ${isWaiting('t')}
   returning t.id`,
);

/** Tasks that wait at these places follow their terminals to the hosts that these have now. @returns how many */
export const adoptStrays = async (tx: Queryable, places: readonly Place[], limit: number): Promise<number> =>
  places.length === 0 ? 0 : (await tx.query(adoptStatement, [...toColumns(places), limit])).length;
