/** Which host carries a terminal. A host's capacity is counted in its row, under its lock, so it is never oversold. */
import type { Platform } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

export interface RegionCapacity {
  region: number;
  platforms: string[];
  free: number;
}

const capacityStatement = sql(
  'list_region_capacity',
  `select r.id as region,
     coalesce((select array_agg(distinct p) from hosts h, unnest(h.platforms) p where h.region_id = r.id and h.status <> 3), '{}')
       as platforms,
     coalesce((select sum(greatest(0, capacity - terminal_count)) from hosts h where h.region_id = r.id and h.status = 1), 0)::integer
       as free
   from regions r order by r.id`,
);

export const listRegionCapacity = (db: Queryable): Promise<RegionCapacity[]> =>
  db.query<RegionCapacity>(capacityStatement);

/** The region of a terminal created without one: the configured, else the one with most free capacity, else the lowest id. */
export const chooseRegion = (regions: readonly RegionCapacity[], configured: number | undefined): number => {
  if (configured !== undefined && regions.some(({ region }) => region === configured)) return configured;
  const [first] = [...regions].sort((a, b) => b.free - a.free || a.region - b.region);
  return first?.region ?? 0;
};

/**
 * The platform of a terminal: the wanted one where the region offers it (undefined where it does not), else the
 * configured default, else what the region has. A region without any host yet takes the default and waits.
 */
export const choosePlatform = (
  offered: readonly string[],
  wanted: string | undefined,
  configured: Platform,
): string | undefined => {
  if (wanted !== undefined) return offered.includes(wanted) ? wanted : undefined;
  return offered.length === 0 || offered.includes(configured) ? configured : offered[0];
};

const reserveStatement = sql(
  'reserve_host',
  `update hosts set terminal_count = terminal_count + 1, updated_at = now()
   where id = (
     select id from hosts
     where region_id = $1 and status = 1 and $2 = any(platforms) and terminal_count < capacity
     order by terminal_count::real / capacity, id limit 1 for update
   ) and terminal_count < capacity
   returning id`,
);

/** Takes a place on the least loaded online host; undefined when there is none (the terminal then waits). */
export const reserveHost = async (tx: Queryable, region: number, platform: string): Promise<string | undefined> =>
  (await tx.query<{ id: string }>(reserveStatement, [region, platform]))[0]?.id;

const waitingStatement = sql(
  'list_waiting_terminals',
  `select id, region_id as region, platform from terminals
   where host_id is null and deleted_at is null and status = 0
   order by created_at limit $1 for update skip locked`,
);

const assignStatement = sql(
  'assign_terminal',
  `with assigned as (
     update terminals set host_id = $2, status_reason = null, updated_at = now() where id = $1
   )
   update tasks set host_id = $2 where terminal_id = $1 and finished_at is null`,
);

/** Gives waiting terminals a host, oldest first. @returns the hosts that got work */
export const assignWaitingTerminals = async (tx: Queryable, limit: number): Promise<string[]> => {
  const waiting = await tx.query<{ id: string; region: number; platform: string }>(waitingStatement, [limit]);
  const assigned: string[] = [];
  const full = new Set<string>();
  for (const { id, region, platform } of waiting) {
    const place = `${region} ${platform}`;
    const hostId = full.has(place) ? undefined : await reserveHost(tx, region, platform);
    if (hostId === undefined) {
      full.add(place);
      continue;
    }
    await tx.query(assignStatement, [id, hostId]);
    assigned.push(hostId);
  }
  return assigned;
};
