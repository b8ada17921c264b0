/** Hosts as operators see and change them. */
import { HostStatus, type HostDetails, type HostDrain } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { COUNTED_ROWS, isOlder, toKey, toOffset, type PageInput } from '../db/page.ts';
import { toLeftReason } from './left.ts';

/** Nothing is counted but on hosts that are being drained. With `offset 0`, so that terminals are found by their host. */
const columns = `h.id, h.name, h.region_id as region, h.platforms, h.capacity, h.terminal_count as terminals, h.status,
  h.agent_version, h.last_seen_at, h.created_at, coalesce(h.places, 0) as places, h.memory_capacity,
  facts -> 'memory_total_mb' as memory_total_mb, facts -> 'memory_available_mb' as memory_available_mb,
  facts -> 'disk_total_mb' as disk_total_mb, facts -> 'disk_available_mb' as disk_available_mb,
  facts -> 'load_percent' as load_percent, coalesce(facts -> 'offers', '[]') as offers, reported_at,
  h.cordoned_at is not null as cordoned, h.drain_started_at, h.drain_deadline_at, h.drain_terminals,
  case when h.drain_started_at is not null then (
    select json_agg(json_build_object('why', why, 'terminals', total) order by total desc, why) from (
      select why, count(*) as total from (
        select * from terminals where host_id = h.id and deleted_at is null offset 0
      ) t cross join lateral (select ${toLeftReason('t', 'h')} as why) w
      where why is not null group by why
    ) counted
  ) end as drain_left`;

interface Row extends Omit<HostDetails, 'drain'> {
  drain_started_at: string | null;
  drain_deadline_at: string | null;
  drain_terminals: HostDrain['terminals'] | null;
  drain_left: HostDrain['left'] | null;
}

const toHost = ({ drain_started_at, drain_deadline_at, drain_terminals, drain_left, ...host }: Row): HostDetails => ({
  ...host,
  drain:
    drain_started_at === null || drain_terminals === null
      ? null
      : {
          started_at: drain_started_at,
          deadline_at: drain_deadline_at,
          terminals: drain_terminals,
          left: drain_left ?? [],
        },
});

const listStatement = sql(
  'list_hosts',
  `select ${columns} from (
     select * from hosts where ${isOlder(3)} order by created_at desc, id desc limit $1 offset $2
   ) h left join host_facts on host_id = h.id
   order by h.created_at desc, h.id desc`,
);
const countStatement = sql('count_hosts', `select count(*) as total from (select from hosts limit $1) counted`);

export const listHosts = async (
  db: Queryable,
  page: PageInput,
  { withDetails }: { withDetails: boolean },
): Promise<HostDetails[]> => {
  const rows = await db.query<Row>(listStatement, [page.per_page, toOffset(page), ...toKey(page, 2)]);
  if (withDetails) return rows.map(toHost);
  return rows.map(({ id, name, region, platforms, capacity, terminals, status, agent_version, ...row }) => {
    const { last_seen_at, created_at } = row;
    return { id, name, region, platforms, capacity, terminals, status, agent_version, last_seen_at, created_at };
  });
};

export const countHosts = async (db: Queryable): Promise<number> =>
  (await db.query<{ total: number }>(countStatement, [COUNTED_ROWS]))[0]?.total ?? 0;

const findStatement = sql(
  'find_managed_host',
  `select ${columns} from hosts h left join host_facts on host_id = h.id where h.id = $1`,
);

export const findManagedHost = async (db: Queryable, id: string): Promise<HostDetails | undefined> =>
  (await db.query<Row>(findStatement, [id])).map(toHost)[0];

const namedStatement = sql(
  'list_hosts_named',
  `select id from hosts where name = $1 and status <> ${HostStatus.RETIRED} order by created_at, id limit 20`,
);

/** The ids of hosts with the name, without retired ones: a name is not unique. */
export const listHostsNamed = async (db: Queryable, name: string): Promise<string[]> =>
  (await db.query<{ id: string }>(namedStatement, [name])).map(({ id }) => id);

const lockStatement = sql(
  'lock_managed_host',
  `select memory_capacity, drain_started_at is not null as is_draining from hosts
   where id = $1 and status <> ${HostStatus.RETIRED} for no key update`,
);

/** Nothing is placed on the host until the transaction ends; undefined where it is unknown or retired. */
export const lockManagedHost = async (
  tx: Queryable,
  id: string,
): Promise<{ memory_capacity: number | null; is_draining: boolean } | undefined> =>
  (await tx.query<{ memory_capacity: number | null; is_draining: boolean }>(lockStatement, [id]))[0];

/** Undefined: it stays as it is. */
export interface HostChanges {
  name?: string | undefined;
  capacity?: number | null | undefined;
  cordoned?: boolean | undefined;
}

const writeStatement = sql(
  'write_managed_host',
  `update hosts set name = coalesce($2, name), capacity = case when $3::boolean then $4 else capacity end,
     cordoned_at = case when $5::boolean then coalesce(cordoned_at, now()) when not $5::boolean then null else cordoned_at end,
     updated_at = now()
   where id = $1`,
);

export const writeHost = async (tx: Queryable, id: string, changes: HostChanges): Promise<void> => {
  const { name, capacity, cordoned } = changes;
  await tx.query(writeStatement, [id, name ?? null, capacity !== undefined, capacity ?? null, cordoned ?? null]);
};
