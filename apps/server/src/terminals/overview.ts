/**
 * What a list of terminals shows of the last day: each hour's connection and ping, computed from its minutes. An hour
 * is one row whose slots are counted in place, so that a page of terminals costs a few thousand rows.
 */
import type { TerminalOverview, TerminalStatus } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { isTradingKnown } from './queries.ts';

const HOUR = `interval '1 hour'`;
const thisHour = `date_bin(${HOUR}, now(), timestamptz 'epoch')`;

/**
 * The part of an hour counts that is over and after the day's first sample: minutes without samples count as
 * disconnected, those stopped on purpose do not count. The current minute and the one before it are not expected yet.
 */
const overviewStatement = sql(
  'read_terminals_overview',
  `with own as materialized (
     select id, status, trading_allowed, trading_reason from terminals where id = any($2::uuid[]) and user_id = $1 and deleted_at is null
   ), measured as materialized (
     select m.terminal_id, m.hour_at, s.* from own join terminal_minutes m on m.terminal_id = own.id
     cross join lateral (
       select min(s.number) filter (where s.link is not null) as first, coalesce(sum(greatest(s.link, 0)), 0) as up,
         count(*) filter (where s.link < 0) as stopped, avg(s.ping_ms) as ping_ms
       from (
         select l.link, p.ping_ms, array_lower(m.link, 1) + l.number - 2 as number
         from unnest(m.link) with ordinality as l (link, number)
         join unnest(m.ping_ms) with ordinality as p (ping_ms, number) using (number)
       ) s
     ) s
     where m.hour_at > ${thisHour} - interval '24 hours'
   ), begun as (
     select terminal_id, min(hour_at + first * interval '1 minute') as at from measured group by terminal_id
   ), hours as (
     select own.id as terminal_id, h.at, m.up, m.ping_ms,
       floor(extract(epoch from least(h.at + ${HOUR}, now() - interval '2 minutes') - greatest(h.at, coalesce(b.at, now()))) / 60)
         - coalesce(m.stopped, 0) as expected
     from own cross join generate_series(${thisHour} - interval '23 hours', ${thisHour}, ${HOUR}) as h (at)
     left join begun b on b.terminal_id = own.id
     left join measured m on m.terminal_id = own.id and m.hour_at = h.at
   )
   select own.id as terminal_id, own.status, own.trading_allowed, own.trading_reason,
     json_agg(json_build_object(
       'at', extract(epoch from hours.at)::bigint,
       'link', case when hours.expected > 0 then least(100, round(coalesce(hours.up, 0) / hours.expected)) end,
       'ping_ms', round(hours.ping_ms)
     ) order by hours.at) as hours
   from own join hours on hours.terminal_id = own.id
   group by own.id, own.status, own.trading_allowed, own.trading_reason`,
);

type Row = TerminalOverview & { status: TerminalStatus; trading_reason: string | null };

/** Unordered; ids that are not terminals of the user are left out. @param ids at most a page, each a UUID */
export const readOverview = async (
  db: Queryable,
  userId: string,
  ids: readonly string[],
): Promise<TerminalOverview[]> => {
  const rows = ids.length === 0 ? [] : await db.query<Row>(overviewStatement, [userId, ids]);
  return rows.map(({ status, trading_allowed, trading_reason, ...row }) => ({
    ...row,
    trading_allowed: isTradingKnown(status, trading_reason) ? trading_allowed : null,
  }));
};
