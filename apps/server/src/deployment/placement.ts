/**
 * Which host a terminal is placed on. A host's used slots are counted in its row, under its lock, so that none is
 * assigned twice; so nothing is placed on a host after it was cordoned. It has as many slots as its operator configured
 * (`capacity`, null: any number), but no more than fit its memory, if it reports that.
 */
import { HostStatus, type Platform } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

export interface RegionCapacity {
  region: number;
  label: string;
  /** Terminals that name no region come here. */
  is_default: boolean;
  /** Whether new terminals may be created there. */
  accepts_terminals: boolean;
  platforms: Platform[];
  free: number;
}

const capacityStatement = sql(
  'list_region_capacity',
  `select r.id as region, r.label, r.is_default, r.accepts_terminals,
     coalesce((
       select array_agg(distinct p) from hosts h, unnest(h.platforms) p
       where h.region_id = r.id and h.status <> ${HostStatus.RETIRED}
     ), '{}') as platforms,
     coalesce((
       select sum(greatest(0, places - terminal_count)) from hosts h
       where h.region_id = r.id and h.status = ${HostStatus.ONLINE} and h.cordoned_at is null
     ), 0)::integer as free
   from regions r order by r.id`,
);

export const listRegionCapacity = (db: Queryable): Promise<RegionCapacity[]> =>
  db.query<RegionCapacity>(capacityStatement);

/**
 * The region of a terminal that names none: the default one, else the configured one, else the one with most free
 * capacity, else the lowest id; of those that offer its platform, if any does.
 * @returns isOpen: another region may have a place for it sooner
 */
export const chooseRegion = (
  regions: readonly RegionCapacity[],
  configured: number | undefined,
  platform?: string,
): { region: number; isOpen: boolean } => {
  const chosen = regions.find((region) => region.is_default) ?? regions.find(({ region }) => region === configured);
  if (chosen) return { region: chosen.region, isOpen: false };
  const offering = regions.filter(({ platforms }) => (platforms as readonly string[]).includes(platform ?? ''));
  const [first] = (offering.length > 0 ? offering : [...regions]).sort(
    (a, b) => b.free - a.free || a.region - b.region,
  );
  return { region: first?.region ?? 0, isOpen: true };
};

/**
 * The platform of a terminal: the requested one where the region offers it (undefined where it does not), else the
 * configured default, else what the region has. A region without hosts takes the default and waits.
 */
export const choosePlatform = (
  offered: readonly string[],
  wanted: string | undefined,
  configured: Platform,
): string | undefined => {
  if (wanted !== undefined) return offered.includes(wanted) ? wanted : undefined;
  return offered.length === 0 || offered.includes(configured) ? configured : offered[0];
};

/** A host that has the terminal \`$3\`, or still has what it left there, is none for it. */
const reserveStatement = sql(
  'reserve_host',
  `update hosts set terminal_count = terminal_count + 1, updated_at = now()
   where id = (
     select id from hosts h
     where region_id = $1 and status = ${HostStatus.ONLINE} and cordoned_at is null and $2 = any(platforms)
       and terminal_count < places and ($4::uuid is null or id = $4) and ($3::uuid is null or (
         not exists (select from left_terminals l where l.terminal_id = $3 and l.host_id = h.id)
         and not exists (select from terminals t where t.id = $3 and t.host_id = h.id)
       ))
     order by terminal_count::real / places, id limit 1 for update
   ) and terminal_count < places
   returning id`,
);

/**
 * Takes a slot on the least loaded online host, or on `hostId`; undefined when there is none (the terminal then waits).
 * @param terminalId undefined: it was never on a host
 */
export const reserveHost = async (
  tx: Queryable,
  region: number,
  platform: string,
  { terminalId, hostId }: { terminalId?: string; hostId?: string | undefined } = {},
): Promise<string | undefined> =>
  (await tx.query<{ id: string }>(reserveStatement, [region, platform, terminalId ?? null, hostId ?? null]))[0]?.id;

const othersWaitStatement = sql(
  'has_waiting_terminal',
  `select 1 from terminals
   where region_id = $1 and platform = $2 and waiting_since is not null and host_id is null and deleted_at is null limit 1`,
);

/** The same for a terminal that waits for nothing: behind those that are already waiting for such a slot. */
export const reserveHostInTurn = async (
  tx: Queryable,
  region: number,
  platform: string,
  terminalId?: string,
): Promise<string | undefined> => {
  const waiting = await tx.query(othersWaitStatement, [region, platform]);
  return waiting.length > 0 ? undefined : reserveHost(tx, region, platform, terminalId ? { terminalId } : {});
};
