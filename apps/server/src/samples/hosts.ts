/**
 * What hosts had in use: processors, memory, disk. It is taken from what they reported last, by the minute, while they
 * are online. A host has some sixty rows, however long it lives: a row per hour, and once its minutes are a day old, a
 * row per day with quarters of an hour, like the samples of terminals (`reading.ts`).
 */
import { HostStatus, type SampleStep } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import type { SampleRow } from './reading.ts';

const names = ['load_percent', 'memory_mb', 'disk_mb'];
const columns = names.join(', ');

const MINUTE = `(extract(epoch from now())::bigint / 60 % 60)::integer + 1`;
const toSlot = (value: string): string => `array_fill(${value}, array[1], array[${MINUTE}])`;
/** A host may say anything: that more is free than there is. */
const toUsed = (what: string): string =>
  `greatest(0, (facts ->> '${what}_total_mb')::integer - (facts ->> '${what}_available_mb')::integer)`;

/** The first server that looks in a minute writes it. */
const takeStatement = sql(
  'take_host_samples',
  `insert into host_minutes as m (host_id, hour_at, ${columns})
   select h.id, date_bin('1 hour', now(), timestamptz 'epoch'), ${toSlot(`(facts ->> 'load_percent')::integer`)},
     ${toSlot(toUsed('memory'))}, ${toSlot(`case when facts ? 'disk_total_mb' then ${toUsed('disk')} end`)}
   from hosts h join host_facts f on f.host_id = h.id
   where h.status = ${HostStatus.ONLINE} and h.last_seen_at > now() - interval '1 minute' and f.facts ? 'memory_total_mb'
   order by h.id
   on conflict (host_id, hour_at) do update
     set ${names.map((name) => `${name}[${MINUTE}] = excluded.${name}[${MINUTE}]`).join(', ')}
     where m.memory_mb[${MINUTE}] is null`,
);

export const takeHostSamples = async (db: Queryable): Promise<void> => {
  await db.query(takeStatement);
};

const unnest = (rows: string, start: string, interval: string): string =>
  `select r.host_id, r.${start} + (array_lower(r.memory_mb, 1) + s.number - 2) * interval '${interval}' as at, s.load_percent,
     s.memory_mb, s.disk_mb
   from ${rows} r cross join lateral unnest(r.load_percent, r.memory_mb, r.disk_mb) with ordinality
     as s (${columns}, number)
   where s.memory_mb is not null`;
const toMinutes = (hours: string): string => unnest(hours, 'hour_at', '1 minute');
const toQuarters = (hours: string): string =>
  `select host_id, date_bin('15 minutes', at, timestamptz 'epoch') as at, avg(load_percent)::integer as load_percent,
     max(memory_mb) as memory_mb, max(disk_mb) as disk_mb
   from (${toMinutes(hours)}) m group by 1, 2`;

/** As `ageMinutesText` does for terminals: each minute is in exactly one of the tables at any time. */
export const ageHostMinutesText = `with old as (
    delete from host_minutes where ctid = any(array(
      select ctid from host_minutes where hour_at < now() - interval '25 hours' or hour_at > now() + interval '1 day'
      limit $1 for update skip locked
    )) returning *
  ), quarters as materialized (${toQuarters('old')}), days as (
    select host_id, date_bin('1 day', at, timestamptz 'epoch') as day_at from quarters group by 1, 2
  ), written as (
    insert into host_quarters as d (host_id, day_at, ${columns})
    select d.host_id, d.day_at, ${names.map((name) => `array_agg(q.${name} order by s)`).join(', ')}
    from days d cross join generate_series(1, 96) as s
    left join quarters q on q.host_id = d.host_id and q.at = d.day_at + (s - 1) * interval '15 minutes'
    group by d.host_id, d.day_at order by d.host_id, d.day_at
    on conflict (host_id, day_at) do update set
      ${names.map((name) => `${name} = merge_slots(d.${name}, excluded.${name})`).join(', ')}
  )
  select count(*) as total from old`;

const ofHost = (table: string): string => `(select * from ${table} where host_id = $1)`;
const toRows = (samples: string, step: SampleStep): string =>
  `select coalesce(json_agg(json_build_array(extract(epoch from at)::bigint, ${columns}) order by at), '[]') as rows
   from (${samples}) s where at >= $2::timestamptz and at <= $3::timestamptz and at <= now() - interval '${step} minutes'`;

const statements = {
  1: sql('read_host_minutes', toRows(toMinutes(ofHost('host_minutes')), 1)),
  15: sql(
    'read_host_quarters',
    toRows(
      `${unnest(ofHost('host_quarters'), 'day_at', '15 minutes')} union all ${toQuarters(ofHost('host_minutes'))}`,
      15,
    ),
  ),
} satisfies Record<SampleStep, unknown>;

export interface HostSampleWindow {
  hostId: string;
  step: SampleStep;
  from: Date;
  to: Date;
}

/** Oldest first, in the order of `hostSampleColumns`. The step under way is not shown. */
export const readHostSamples = async (
  db: Queryable,
  { hostId, step, from, to }: HostSampleWindow,
): Promise<SampleRow[]> => {
  const values = [hostId, from.toISOString(), to.toISOString()];
  return (await db.query<{ rows: SampleRow[] }>(statements[step], values))[0]?.rows ?? [];
};
