/**
 * What hosts report about their machines, and how it is stored: the latest report only, and only fields of the
 * contract.
 */
import type { HostFacts } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

/** As it is stored; null where the host's agent reports none. */
export type ReportedFacts = string | null;

/** Fields beyond the contract are dropped: nothing bounds their size. */
export const toReportedFacts = (facts: HostFacts | undefined): ReportedFacts =>
  facts === undefined
    ? null
    : JSON.stringify({
        memory_total_mb: facts.memory_total_mb,
        memory_available_mb: facts.memory_available_mb,
        memory_capacity: facts.memory_capacity,
        disk_total_mb: facts.disk_total_mb,
        disk_available_mb: facts.disk_available_mb,
        load_percent: facts.load_percent,
        offers: facts.offers.map(({ platform, launcher, isolation, bases }) => ({
          platform,
          launcher,
          isolation,
          bases: bases.map(({ name, build, current }) => ({ name, build, current })),
        })),
      });

const writeStatement = sql(
  'write_host_facts',
  `with reported as (
     insert into host_facts (host_id, facts) select host_id, facts from unnest($1::uuid[], $2::jsonb[]) as t (host_id, facts)
     on conflict (host_id) do update set facts = excluded.facts, reported_at = now()
   )
   update hosts h set memory_capacity = (t.facts ->> 'memory_capacity')::integer
   from unnest($1::uuid[], $2::jsonb[]) as t (host_id, facts) where h.id = t.host_id`,
);

/** Stores the facts of hosts whose session is current. */
export const writeHostFacts = async (
  db: Queryable,
  reported: readonly { hostId: string; facts: ReportedFacts }[],
): Promise<void> => {
  const latest = [...new Map(reported.map(({ hostId, facts }) => [hostId, facts]))];
  await db.query(writeStatement, [latest.map(([hostId]) => hostId), latest.map(([, facts]) => facts)]);
};
