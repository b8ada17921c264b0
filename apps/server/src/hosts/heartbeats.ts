import { MAX_LEFT_TERMINALS, type HostFacts } from '@berth/contract';
import { Batcher } from '@berth/kit';
import { isRefused, sql, type Queryable, type Store } from '../db/database.ts';
import type { Times } from '../times.ts';
import { findRiskVersions } from './risk-versions.ts';
import { toReportedFacts, writeHostFacts } from './facts.ts';
import { renewLeases, touchHosts, type HeldAttempt } from './queries.ts';

const listStatement = sql(
  'list_left_terminals',
  `select h.id as host_id, l.terminal_id from unnest($1::uuid[]) as h (id) cross join lateral (
     select terminal_id from left_terminals where host_id = h.id order by terminal_id limit ${MAX_LEFT_TERMINALS}
   ) l`,
);

/** By host, of those that have any. */
const listLeft = async (db: Queryable, hostIds: readonly string[]): Promise<Map<string, string[]>> => {
  const left = new Map<string, string[]>();
  for (const row of await db.query<{ host_id: string; terminal_id: string }>(listStatement, [hostIds])) {
    left.set(row.host_id, [...(left.get(row.host_id) ?? []), row.terminal_id]);
  }
  return left;
};

const forgetStatement = sql(
  'forget_removed_terminals',
  `delete from left_terminals l using unnest($1::uuid[], $2::uuid[]) as r (host_id, terminal_id)
   where l.host_id = r.host_id and l.terminal_id = r.terminal_id`,
);

/** From now on these terminals may come back to their host. */
const forgetRemoved = async (db: Queryable, removed: readonly { hostId: string; id: string }[]): Promise<void> => {
  if (removed.length === 0) return;
  await db.query(forgetStatement, [removed.map(({ hostId }) => hostId), removed.map(({ id }) => id)]);
};

const MAX_HOSTS_PER_BATCH = 256;

interface Heartbeat {
  hostId: string;
  attempts: { task_id: string; fence: number }[];
  /** Facts of its machine that have changed. */
  facts?: HostFacts | undefined;
  /** Terminals that left it, of which nothing is there any more. */
  removed?: readonly string[] | undefined;
}

interface HeartbeatAnswer {
  revoked: string[];
  resync: boolean;
  /** Absent where no terminal of the host has, or had, risk rules. */
  risk_version?: number;
  /** Terminals that left the host, whose files are still there; absent: none. */
  left?: string[];
}

/** Records heartbeats; those that arrive together share a few statements, however many hosts there are. */
export class Heartbeats {
  readonly #batcher: Batcher<Heartbeat, HeartbeatAnswer>;

  constructor(db: Store, times: Times) {
    // What a database crash loses here is repeated by the next heartbeat.
    const writes = db.createWritePipeline('asyncCommit');
    this.#batcher = new Batcher((heartbeats) => answer(writes, heartbeats, times), {
      maxItems: MAX_HOSTS_PER_BATCH,
      isSplit: isRefused,
    });
  }

  /** Renews the leases of the host's running attempts. @returns the attempts that are no longer valid */
  add(heartbeat: Heartbeat): Promise<HeartbeatAnswer> {
    return this.#batcher.add(heartbeat);
  }
}

const answer = async (db: Queryable, heartbeats: Heartbeat[], { leaseMs }: Times): Promise<HeartbeatAnswer[]> => {
  const held = heartbeats.flatMap(({ hostId, attempts }) =>
    attempts.map(({ task_id: taskId, fence }): HeldAttempt => ({ hostId, taskId, fence })),
  );
  const reported = heartbeats.flatMap(({ hostId, facts }) =>
    facts ? [{ hostId, facts: toReportedFacts(facts) }] : [],
  );
  const removed = heartbeats.flatMap(({ hostId, removed: ids = [] }) => ids.map((id) => ({ hostId, id })));
  const hostIds = [...new Set(heartbeats.map(({ hostId }) => hostId))];
  const [back, versions, left, renewed] = await Promise.all([
    touchHosts(db, hostIds),
    findRiskVersions(db, hostIds),
    forgetRemoved(db, removed).then(() => listLeft(db, hostIds)),
    held.length === 0 ? new Set<string>() : renewLeases(db, held, leaseMs),
    reported.length === 0 ? undefined : writeHostFacts(db, reported),
  ]);
  return heartbeats.map(({ hostId, attempts }) => {
    const version = versions.get(hostId);
    return {
      revoked: attempts.map(({ task_id: taskId }) => taskId).filter((taskId) => !renewed.has(taskId)),
      resync: back.has(hostId),
      ...(version === undefined ? {} : { risk_version: version }),
      ...(left.has(hostId) ? { left: left.get(hostId)! } : {}),
    };
  });
};
