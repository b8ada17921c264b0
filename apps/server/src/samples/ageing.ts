/** How samples are aggregated as they age: minutes become quarters of an hour, and quarters are deleted. */
import { toQuarters } from './reading.ts';

/**
 * Takes minutes that are older than a day, one hour of a terminal at a time, and moves their quarters into the rows of
 * their days, in one step: so each minute is in exactly one of the tables at any time. A time in the future (the
 * database's clock was set back) counts as old as well.
 */
export const ageMinutesText = `with old as (
    delete from terminal_minutes where ctid = any(array(
      select ctid from terminal_minutes where hour_at < now() - interval '25 hours' order by hour_at limit $1 for update skip locked
    )) returning *
  ), quarters as materialized (${toQuarters('old')}), days as (
    select terminal_id, date_bin('1 day', at, timestamptz 'epoch') as day_at from quarters group by 1, 2
  ), written as (
    insert into terminal_quarters as d (terminal_id, day_at, link, minutes, ping_ms, memory_mb, cpu_permille, disk_mb)
    select d.terminal_id, d.day_at, array_agg(q.link order by s), array_agg(q.minutes order by s), array_agg(q.ping_ms order by s),
      array_agg(q.memory_mb order by s), array_agg(q.cpu_permille order by s), array_agg(q.disk_mb order by s)
    from days d cross join generate_series(1, 96) as s
    left join quarters q on q.terminal_id = d.terminal_id and q.at = d.day_at + (s - 1) * interval '15 minutes'
    group by d.terminal_id, d.day_at order by d.terminal_id, d.day_at
    on conflict (terminal_id, day_at) do update set
      link = merge_slots(d.link, excluded.link),
      minutes = merge_slots(d.minutes, excluded.minutes),
      ping_ms = merge_slots(d.ping_ms, excluded.ping_ms),
      memory_mb = merge_slots(d.memory_mb, excluded.memory_mb),
      cpu_permille = merge_slots(d.cpu_permille, excluded.cpu_permille),
      disk_mb = merge_slots(d.disk_mb, excluded.disk_mb)
  )
  select count(*) as total from old`;
