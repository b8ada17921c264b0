/**
 * Stores samples. Whatever a host sends, it costs at most one statement for each of its batches: a terminal has one
 * small row that its samples change, and one more row for each hour. A single sample is worth little, so nothing is
 * retried: one that arrives while the host's earlier batch is in progress, or while the database is down, is lost.
 *
 * A sample counts for the minute in which it arrives, by the database's clock, whatever the hosts' clocks say.
 */
import { MAX_SAMPLES, type LinkState, type Sample } from '@berth/contract';
import { Batcher, type Clock } from '@berth/kit';
import { isRefused, sql, type Queryable, type Store } from '../db/database.ts';
import type { Times } from '../times.ts';

/** Of hosts that share a statement. */
const MAX_HOSTS_PER_BATCH = 32;
/** Batches of one host within a round: enough for ten thousand terminals. */
const MAX_BATCHES_PER_ROUND = 10_000 / MAX_SAMPLES;
/** Samples of all hosts that wait for a slow database; any beyond that are lost. */
const MAX_WAITING = 100_000;
/** Hosts whose rounds a server tracks before it removes those that are over. */
const MAX_ROUNDS = 4_096;

const links: Record<LinkState, number> = { down: 0, up: 1, stopped: 2 };
const { up: UP, stopped: STOPPED } = links;

const MAX_PING_MS = 32_767;

const MINUTE = `date_bin('1 minute', now(), timestamptz 'epoch')`;
/** An array with a single slot at its place: the bounds of the array say which one it is. */
const toSlot = (value: string): string =>
  `array_fill(${value}, array[1], array[(extract(epoch from l.minute_at)::bigint / 60 % 60)::integer + 1])`;
const toSlotChange = (column: string): string =>
  `${column}[array_lower(excluded.${column}, 1)] = excluded.${column}[array_lower(excluded.${column}, 1)]`;
const slotColumns = ['link', 'ping_ms', 'memory_mb', 'cpu_permille', 'disk_mb'];

/**
 * The minute that is over is moved into the row of its hour before the next one starts. Repeating that, as after two
 * concurrent batches, changes nothing.
 */
const takeStatement = sql(
  'take_samples',
  `with given as materialized (
     select * from unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::smallint[], $5::integer[], $6::integer[], $7::integer[],
         $9::integer[])
       as g (host_id, terminal_id, link, ping_ms, memory_mb, cpu_permille, disk_mb, build)
     where (select true from terminals t where t.id = g.terminal_id and t.host_id = g.host_id and t.deleted_at is null limit 1)
   ), over as (
     insert into terminal_minutes as m (terminal_id, hour_at, ${slotColumns.join(', ')})
     select l.terminal_id, date_bin('1 hour', l.minute_at, timestamptz 'epoch'),
       ${toSlot('(case when l.watched = 0 then -1 else l.ups * 100 / l.watched end)::smallint')},
       ${toSlot('l.ping_ms')}, ${toSlot('l.most_memory_mb')}, ${toSlot('(l.cpu_sum / nullif(l.cpu_count, 0))::integer')},
       ${toSlot('l.disk_mb')}
     from given g cross join lateral (select * from terminal_loads where terminal_id = g.terminal_id limit 1) l
     where l.minute_at <> ${MINUTE}
     on conflict (terminal_id, hour_at) do update set ${slotColumns.map(toSlotChange).join(', ')}
   ), taken as (
     insert into terminal_loads as l (terminal_id, link, ping_ms, memory_mb, cpu_permille, disk_mb, build,
       minute_at, watched, ups, most_memory_mb, cpu_sum, cpu_count)
     select terminal_id, link, ping_ms, memory_mb, cpu_permille, disk_mb, build,
       ${MINUTE}, (link <> ${STOPPED})::integer, (link = ${UP})::integer, memory_mb, coalesce(cpu_permille, 0),
       (cpu_permille is not null)::integer
     from given
     on conflict (terminal_id) do update set
       sampled_at = now(),
       link = excluded.link,
       link_since = case when l.link = excluded.link then l.link_since else now() end,
       ping_ms = excluded.ping_ms,
       memory_mb = excluded.memory_mb,
       cpu_permille = excluded.cpu_permille,
       disk_mb = excluded.disk_mb,
       -- One that does not run says none, and has the one that it had.
       build = coalesce(excluded.build, l.build),
       minute_at = excluded.minute_at,
       watched = excluded.watched + case when l.minute_at = excluded.minute_at then l.watched else 0 end,
       ups = excluded.ups + case when l.minute_at = excluded.minute_at then l.ups else 0 end,
       most_memory_mb = case when l.minute_at = excluded.minute_at then greatest(l.most_memory_mb, excluded.most_memory_mb)
         else excluded.most_memory_mb end,
       cpu_sum = excluded.cpu_sum + case when l.minute_at = excluded.minute_at then l.cpu_sum else 0 end,
       cpu_count = excluded.cpu_count + case when l.minute_at = excluded.minute_at then l.cpu_count else 0 end
     -- A clock that was set back leaves times that are to come: they count for nothing.
     where l.sampled_at not between now() - $8 * interval '1 millisecond' and now() + $8 * interval '1 millisecond'
     returning terminal_id
   )
   select g.host_id, count(*) as taken from taken join given g on g.terminal_id = taken.terminal_id group by g.host_id`,
);

interface HostSamples {
  hostId: string;
  samples: readonly Sample[];
}

const toInteger = (value: number | null): number | null => value && Math.round(value);

/**
 * One sample of each terminal, the last one reported, in the same order in all batches, so that they do not deadlock.
 */
const toRows = (batch: readonly HostSamples[]) => {
  const rows = new Map<string, Sample & { hostId: string }>();
  for (const { hostId, samples } of batch) {
    for (const sample of samples) rows.set(`${sample.terminal_id.toLowerCase()} ${hostId}`, { ...sample, hostId });
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
};

const take = async (db: Queryable, batch: readonly HostSamples[], gapMs: number): Promise<number[]> => {
  const rows = toRows(batch);
  const taken = await db.query<{ host_id: string; taken: number }>(takeStatement, [
    rows.map((row) => row.hostId),
    rows.map((row) => row.terminal_id),
    rows.map((row) => links[row.link]),
    rows.map((row) => (row.ping_ms === null ? null : Math.min(MAX_PING_MS, Math.round(row.ping_ms)))),
    rows.map((row) => toInteger(row.memory_mb)),
    rows.map((row) => row.cpu_percent && Math.round(row.cpu_percent * 10)),
    rows.map((row) => toInteger(row.disk_mb)),
    gapMs,
    rows.map((row) => row.build ?? null),
  ]);
  const counts = new Map(taken.map((row) => [row.host_id, row.taken]));
  return batch.map(({ hostId }) => counts.get(hostId) ?? 0);
};

interface Round {
  beganAtMs: number;
  batches: number;
  isUnderWay: boolean;
}

/** Stores samples of all hosts; batches that arrive together share a statement. */
export class SampleTaking {
  readonly #batcher: Batcher<HostSamples, number>;
  readonly #clock: Clock;
  readonly #gapMs: number;
  readonly #rounds = new Map<string, Round>();
  #waiting = 0;

  constructor(db: Store, clock: Clock, { sampleGapMs }: Times) {
    // What a database crash loses here is a minute of a curve.
    const writes = db.createWritePipeline('asyncCommit');
    this.#clock = clock;
    this.#gapMs = sampleGapMs;
    this.#batcher = new Batcher((batch) => take(writes, batch, this.#gapMs), {
      maxItems: MAX_HOSTS_PER_BATCH,
      isSplit: isRefused,
    });
  }

  /** @returns how many were accepted: none from a host that never stops sending */
  async add(hostSamples: HostSamples): Promise<number> {
    const { hostId, samples } = hostSamples;
    const round = this.#waiting >= MAX_WAITING ? undefined : this.#enter(hostId);
    if (!round) return 0;
    this.#waiting += samples.length;
    try {
      return await this.#batcher.add(hostSamples);
    } finally {
      this.#waiting -= samples.length;
      round.isUnderWay = false;
    }
  }

  /** If the clock is set, a round starts early, or late by no more than one. */
  #isOver({ beganAtMs, isUnderWay }: Round, nowMs: number): boolean {
    return !isUnderWay && Math.abs(nowMs - beganAtMs) >= this.#gapMs;
  }

  #enter(hostId: string): Round | undefined {
    const nowMs = this.#clock.now();
    const known = this.#rounds.get(hostId);
    if (known && !this.#isOver(known, nowMs)) {
      if (known.isUnderWay || known.batches >= MAX_BATCHES_PER_ROUND) return undefined;
      known.batches += 1;
      known.isUnderWay = true;
      return known;
    }
    if (this.#rounds.size >= MAX_ROUNDS) this.#forget(nowMs);
    const round = { beganAtMs: nowMs, batches: 1, isUnderWay: true };
    this.#rounds.set(hostId, round);
    return round;
  }

  #forget(nowMs: number): void {
    for (const [hostId, round] of this.#rounds) {
      if (this.#isOver(round, nowMs)) this.#rounds.delete(hostId);
    }
  }
}
