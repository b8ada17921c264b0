/**
 * What became of the deliveries of a webhook in the last day. The statement that ends deliveries counts them, by the rows
 * that it changed: whatever is tried again, or comes from a server that lost its lease, changes none. There is a row per
 * half hour, which is used again a day later.
 */
import { HALF_HOURS, type Webhook, type WebhookDay } from '@berth/contract';

/** Milliseconds at which a class of times ends and the next one begins, each a quarter more: of an answer, its class is kept. */
const BOUNDS = [
  ...[2, 3, 4, 5, 6, 8],
  ...[10, 12, 16, 20, 25, 32, 40, 50, 63, 80],
  ...[100, 125, 160, 200, 250, 315, 400, 500, 630, 800],
  ...[1_000, 1_250, 1_600, 2_000, 2_500, 3_150, 4_000, 5_000, 6_300, 8_000],
  ...[10_000, 12_500, 16_000],
] as const;
const LAST = BOUNDS.length;

const HALF_HOUR_S = 1_800;
const thisHalfHour = `date_bin('${HALF_HOUR_S} seconds', now(), timestamptz 'epoch')`;
const toSeconds = (time: string): string => `extract(epoch from ${time})::bigint`;

/** What the row of this half hour has of a figure, if it is not that of a day before. */
const kept = (figure: string, otherwise: string): string =>
  `case when h.begun_at = excluded.begun_at then h.${figure} else ${otherwise} end`;

/**
 * SQL of a part of a statement that counts what another part ended. Whoever runs it holds the webhook's row.
 * @param ended name of that part, which returns `webhook_id`, `status`, `attempt_count`, and the `ms` of the last try
 */
export const toCounted = (ended: string): string => `counted as (
     insert into webhook_half_hours as h (webhook_id, slot, begun_at, succeeded, at_first_try, failed, times)
     select webhook_id, ${toSeconds(thisHalfHour)} / ${HALF_HOUR_S} % ${HALF_HOURS}, ${thisHalfHour},
       count(*) filter (where status = 'succeeded'),
       count(*) filter (where status = 'succeeded' and attempt_count = 1),
       count(*) filter (where status = 'failed'),
       array(
         select count(e.ms)::integer from generate_series(0, ${LAST}) as class left join ${ended} e
           on e.status = 'succeeded' and width_bucket(e.ms, '{${BOUNDS.join()}}'::integer[]) = class
         group by class order by class
       )
     from ${ended} where status <> 'pending' group by webhook_id
     on conflict (webhook_id, slot) do update set begun_at = excluded.begun_at,
       succeeded = excluded.succeeded + ${kept('succeeded', '0')},
       at_first_try = excluded.at_first_try + ${kept('at_first_try', '0')},
       failed = excluded.failed + ${kept('failed', '0')},
       times = array(
         select a + coalesce(b, 0) from unnest(excluded.times, ${kept('times', 'null')}) with ordinality as t (a, b, class)
         order by class
       )
   )`;

const waiting = `from webhook_deliveries d where d.webhook_id = webhooks.id and d.status = 'pending'`;
const sums = Array.from({ length: LAST + 1 }, (_, index) => `sum(h.times[${index + 1}])`);

/** SQL: what is counted of each row of `webhooks`; at most a thousand rows that wait are read, and 48 of its day. */
export const toCountColumns = (mostPending: number): string =>
  `(select count(*) from (select ${waiting} limit ${mostPending}) p) as pending,
   (select d.created_at ${waiting} order by d.id limit 1) as oldest_pending_at,
   (select json_build_object('now', ${toSeconds(thisHalfHour)}, 'at_first_try', coalesce(sum(h.at_first_try), 0),
      'half_hours', coalesce(json_agg(json_build_object(
        'at', ${toSeconds('h.begun_at')}, 'succeeded', h.succeeded, 'failed', h.failed)), '[]'),
      'times', case when count(*) > 0 then array[${sums.join(', ')}] end)
    from webhook_half_hours h where h.webhook_id = webhooks.id
      and h.begun_at > ${thisHalfHour} - interval '24 hours' and h.begun_at <= ${thisHalfHour}) as day`;

/** A row with these columns, besides those that are shown as they are. */
export interface CountedRow extends Omit<Webhook, 'last_24_hours'> {
  day: {
    /** When this half hour began, in Unix seconds. */
    now: number;
    at_first_try: number;
    /** Those in which something ended. */
    half_hours: WebhookDay['half_hours'];
    /** How many answers there were of each class; null: none. */
    times: number[] | null;
  };
}

/**
 * The time within which a part of the answers came: by its class, in which they are taken to be spread evenly. Pure.
 * @param part in (0, 1]
 * @returns milliseconds; null: there were none
 */
export const toQuantile = (times: readonly number[], part: number): number | null => {
  let left = part * times.reduce((sum, count) => sum + count, 0);
  if (left === 0) return null;
  for (const [index, count] of times.entries()) {
    if (left > count) left -= count;
    else {
      const from = BOUNDS[index - 1] ?? 0;
      return Math.round(from + ((BOUNDS[index] ?? from) - from) * (left / count));
    }
  }
  return BOUNDS[LAST - 1]!;
};

const sumOf = (halfHours: WebhookDay['half_hours'], figure: 'succeeded' | 'failed'): number =>
  halfHours.reduce((sum, one) => sum + one[figure], 0);

/** A webhook as it is shown, with the half hours in which nothing ended. */
export const toWebhook = ({ day, ...webhook }: CountedRow): Webhook => {
  const times = day.times ?? [];
  const known = new Map(day.half_hours.map((one) => [one.at, one]));
  const half_hours = Array.from({ length: HALF_HOURS }, (_, index) => {
    const at = day.now - (HALF_HOURS - 1 - index) * HALF_HOUR_S;
    return known.get(at) ?? { at, succeeded: 0, failed: 0 };
  });
  return {
    ...webhook,
    last_24_hours: {
      succeeded: sumOf(half_hours, 'succeeded'),
      at_first_try: day.at_first_try,
      failed: sumOf(half_hours, 'failed'),
      median_ms: toQuantile(times, 0.5),
      p99_ms: toQuantile(times, 0.99),
      half_hours,
    },
  };
};
