/**
 * Measurements of one terminal. A terminal has some sixty rows of samples, however long it lives and however many
 * terminals its owner has, so that reading costs the same for everybody. The current minute is not shown.
 *
 * A quarter of an hour is computed from its minutes in one way, wherever that is done: on request, or permanently once
 * its minutes are a day old (`ageing.ts`).
 */
import { parseIsoDateTime, type SampleStep } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

const DAY_MS = 86_400_000;

/** The longest span that one answer covers. */
const spansMs: Record<SampleStep, number> = { 1: DAY_MS, 15: 30 * DAY_MS };

interface Asked {
  from?: string | undefined;
  to?: string | undefined;
  step?: SampleStep | undefined;
}

/** Nothing was measured before 1970, and the database formats earlier years differently. */
const toTime = (text: string | undefined): number | undefined => {
  const time = text === undefined ? undefined : parseIsoDateTime(text)?.getTime();
  return time === undefined ? undefined : Math.max(0, time);
};

/** The default step is the finest that covers the whole span. */
export const toWindow = ({ from, to, step }: Asked, nowMs: number) => {
  const [fromMs, toMs = nowMs] = [toTime(from), toTime(to)];
  const startMs = fromMs ?? toMs - DAY_MS;
  const chosen = step ?? (nowMs - startMs <= spansMs[1] + 60_000 ? 1 : 15);
  const earliestMs = Math.max(0, toMs - spansMs[chosen]);
  return { step: chosen, from: new Date(Math.max(fromMs ?? earliestMs, earliestMs)), to: new Date(toMs) };
};

const MINUTE = `interval '1 minute'`;
const QUARTER = `interval '15 minutes'`;

/**
 * Slots of the hours' rows, as one row per minute. The arrays of a row have the same bounds, and the first slot need
 * not be 1. They are unnested once: indexing each slot by slot takes twenty times as long.
 * @param hours a table or query with the columns of `terminal_minutes`
 */
const toMinutes = (hours: string): string =>
  `select h.terminal_id, h.hour_at + (array_lower(h.link, 1) + s.number - 2) * ${MINUTE} as at, s.link, s.ping_ms, s.memory_mb,
     s.cpu_permille, s.disk_mb
   from ${hours} h cross join lateral unnest(h.link, h.ping_ms, h.memory_mb, h.cpu_permille, h.disk_mb) with ordinality
     as s (link, ping_ms, memory_mb, cpu_permille, disk_mb, number)
   where s.link is not null`;

/** Minutes by their quarters: unmeasured ones count as disconnected, those stopped on purpose are not counted. */
export const toQuarters = (hours: string): string =>
  `select m.terminal_id, date_bin(${QUARTER}, m.at, timestamptz 'epoch') as at,
     (case when count(*) filter (where m.link < 0) = 15 then -1
       else round(sum(greatest(m.link, 0))::numeric / (15 - count(*) filter (where m.link < 0))) end)::smallint as link,
     (15 - count(*) filter (where m.link < 0))::smallint as minutes,
     avg(m.ping_ms)::smallint as ping_ms, max(m.memory_mb) as memory_mb, avg(m.cpu_permille)::integer as cpu_permille,
     max(m.disk_mb) as disk_mb
   from (${toMinutes(hours)}) m
   group by m.terminal_id, date_bin(${QUARTER}, m.at, timestamptz 'epoch')`;

const isOwn = 'id = $1 and user_id = $2 and deleted_at is null';

/** The minute of the last samples, once it is over: it is only stored with the others when the next sample arrives. */
const lastMinute = `select l.terminal_id, l.minute_at as at,
     (case when l.watched = 0 then -1 else l.ups * 100 / l.watched end)::smallint as link, l.ping_ms,
     l.most_memory_mb as memory_mb, (l.cpu_sum / nullif(l.cpu_count, 0))::integer as cpu_permille, l.disk_mb
   from own join terminal_loads l on l.terminal_id = own.id where l.minute_at < date_bin(${MINUTE}, now(), timestamptz 'epoch')`;

/** The last minute as the row of an hour, so that all of a day's minutes have the same form. */
const hours = (since: string): string =>
  `select m.* from own join terminal_minutes m on m.terminal_id = own.id where m.hour_at > ${since}
   union all
   select terminal_id, date_bin('1 hour', at, timestamptz 'epoch'),
     ${['link', 'ping_ms', 'memory_mb', 'cpu_permille', 'disk_mb']
       .map((name) => `array_fill(${name}, array[1], array[(extract(epoch from at)::bigint / 60 % 60)::integer + 1])`)
       .join(', ')}
   from (${lastMinute}) l`;

const days = `select q.terminal_id, q.day_at + (s.number - 1) * ${QUARTER} as at, s.link, s.minutes, s.ping_ms, s.memory_mb,
     s.cpu_permille, s.disk_mb
   from own join terminal_quarters q on q.terminal_id = own.id
   cross join lateral unnest(q.link, q.minutes, q.ping_ms, q.memory_mb, q.cpu_permille, q.disk_mb) with ordinality
     as s (link, minutes, ping_ms, memory_mb, cpu_permille, disk_mb, number)
   where s.link is not null`;

/** @param samples those of steps of this many minutes: the current step is not shown */
const toRows = (samples: string, step: SampleStep): string =>
  `select coalesce(json_agg(json_build_array(extract(epoch from at)::bigint, ping_ms, nullif(link, -1), memory_mb,
     cpu_permille / 10.0, disk_mb) order by at), '[]') as rows
   from (${samples}) samples
   where at >= $3::timestamptz and at <= $4::timestamptz and at <= now() - interval '${step} minutes'`;

const own = `with own as materialized (select id from terminals where ${isOwn})`;

const statements = {
  1: sql('read_minute_samples', `${own} ${toRows(toMinutes(`(${hours(`$3::timestamptz - interval '1 hour'`)})`), 1)}`),
  15: sql(
    'read_quarter_samples',
    `${own}, hours as materialized (${hours(`now() - interval '31 days'`)})
     ${toRows(
       `${days} union all
        select terminal_id, at, link, minutes, ping_ms, memory_mb, cpu_permille, disk_mb from (${toQuarters('hours')}) q`,
       15,
     )}`,
  ),
} satisfies Record<SampleStep, unknown>;

export type SampleRow = (number | null)[];

export interface SampleWindow {
  terminalId: string;
  userId: string;
  step: SampleStep;
  from: Date;
  to: Date;
}

/** Oldest first; empty for another user's terminal. */
export const readSamples = async (
  db: Queryable,
  { terminalId, userId, step, from, to }: SampleWindow,
): Promise<SampleRow[]> => {
  const values = [terminalId, userId, from.toISOString(), to.toISOString()];
  return (await db.query<{ rows: SampleRow[] }>(statements[step], values))[0]?.rows ?? [];
};

export interface Uptime {
  day: number | null;
  week: number | null;
  month: number | null;
}

const windows = { day: '24 hours', week: '7 days', month: '30 days' } as const satisfies Record<keyof Uptime, string>;
const eachWindow = (toText: (name: string, span: string) => string): string =>
  Object.entries(windows)
    .map(([name, span]) => toText(name, span))
    .join(', ');

/**
 * For each window, from the end of the first step that has a sample (it may have started in its middle) to the current
 * minute. One pass finds the starts, another one counts.
 */
const uptimeStatement = sql(
  'read_uptime',
  `${own}, spans as materialized (
     select at, at + ${MINUTE} as until_at, greatest(link, 0) / 100.0 as up, (link < 0)::integer as stopped
     from (${toMinutes(`(${hours(`now() - interval '31 days'`)})`)}) m where at < now()
     union all
     select at, at + ${QUARTER}, greatest(link, 0) * minutes / 100.0, 15 - minutes from (${days}) d where at < now()
   ), firsts as (
     select ${eachWindow((name, span) => `min(until_at) filter (where at >= now() - interval '${span}') as ${name}`)} from spans
   ), counted as (
     select ${eachWindow(
       (name) => `coalesce(sum(s.up) filter (where s.at >= f.${name}), 0) as ${name}_up,
         floor(extract(epoch from date_bin(${MINUTE}, now(), timestamptz 'epoch') - f.${name}) / 60)
           - coalesce(sum(s.stopped) filter (where s.at >= f.${name}), 0) as ${name}_expected`,
     )}
     from firsts f left join spans s on true group by f.day, f.week, f.month
   )
   select ${eachWindow(
     (name) =>
       `round(100 * least(${name}_up, ${name}_expected) / nullif(greatest(0, ${name}_expected), 0), 2)::double precision as ${name}`,
   )}
   from own cross join counted`,
);

/** Undefined where the user has no such terminal. */
export const findUptime = async (db: Queryable, userId: string, terminalId: string): Promise<Uptime | undefined> =>
  (await db.query<Uptime>(uptimeStatement, [terminalId, userId]))[0];
