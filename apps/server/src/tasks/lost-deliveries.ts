/**
 * Attempts whose delivery was lost with its answer are handed out again, under the same fence, to the session that they
 * are for. Only a claim after one that got no answer asks for them, so that ordinary claims do not pay for it.
 *
 * Why this carries out no attempt twice: a session is one process of an agent, and it sends one claim at a time. With
 * its claim it names every attempt that it is running; until the claim is answered or abandoned it accepts no other. An
 * attempt of this session that it accepted earlier is therefore
 * - among those it names, or
 * - forgotten, which takes a verdict or a revocation: its lease had ended, and no fence is handed out with a second
 *   lease. (Should a promoted standby have lost that end, the agent still knows what it accepted: `attempt-runner.ts`.)
 *
 * So, whatever happens on the way:
 * - a first answer that arrives after the second one belongs to a call that the agent abandoned, and nobody reads it;
 * - a request that arrives twice, or late, gets two answers, of which the agent reads one;
 * - a restarted agent is a new session. It does not get what the earlier one was given: that may have been started, and
 *   a lost disk would not know. Nor does an agent that takes over while the earlier one is still being answered;
 * - an old claim of this session that still waits at another server is given attempts for it, which a later claim finds
 *   here;
 * - one of an earlier session that still waits is given nothing: both statements check for the host's current session;
 * - a lease that expires in between ends the attempt: the next one has another fence, and reports of this one are
 *   refused.
 */
import { TaskStatus, type DeliveredTask } from '@berth/contract';
import { Batcher, type Logger } from '@berth/kit';
import { isRefused, sql, type Queryable, type Store } from '../db/database.ts';
import type { Vault } from '../secrets/vault.ts';
import type { Times } from '../times.ts';
import { shareAmong, type Claim } from './claims.ts';
import { selectDelivered, toDeliveredTask, type DeliveredRow } from './delivery.ts';
import { isCurrentSession } from './queue.ts';

const MAX_HOSTS_PER_LOOK = 128;

export interface RepeatedClaim extends Claim {
  /** Every attempt that the agent is running. */
  known: readonly { task_id: string; fence: number }[];
}

/**
 * With `not in` of a list that does not depend on the row, so that it is hashed, however long. A lease that ends before
 * the agent's next heartbeat could renew it is left to end.
 */
const lostStatement = sql(
  'list_lost_deliveries',
  `with delivered as (
     select d.* from unnest($1::uuid[], $2::uuid[], $3::int[]) as a (host_id, session_id, slots)
     cross join lateral (
       select t.id, l.fence, t.seq, t.type, t.payload, t.sealed, a.host_id, l.terminal_id
       from task_leases l join tasks t on t.id = l.task_id
       where ${isCurrentSession('a')}
         and l.host_id = a.host_id and l.session_id = a.session_id and t.status = ${TaskStatus.DELIVERED}
         and l.expires_at > now() + $7 * interval '1 millisecond'
         and (l.host_id, l.task_id, l.fence::int) not in (
           select host_id, task_id, fence from unnest($4::uuid[], $5::uuid[], $6::int[]) as k (host_id, task_id, fence)
         )
       order by t.seq limit a.slots
     ) d
   )
   ${selectDelivered}`,
);

const listLost = (db: Queryable, claims: readonly RepeatedClaim[], { heartbeatMs }: Times): Promise<DeliveredRow[]> => {
  const known = claims.flatMap(({ hostId, known: attempts }) => attempts.map((attempt) => ({ hostId, ...attempt })));
  return db.query<DeliveredRow>(lostStatement, [
    claims.map((claim) => claim.hostId),
    claims.map((claim) => claim.sessionId),
    claims.map((claim) => claim.slots),
    known.map((attempt) => attempt.hostId),
    known.map((attempt) => attempt.task_id),
    known.map((attempt) => attempt.fence),
    heartbeatMs,
  ]);
};

/** Finds attempts that hosts were given but never received; claims that arrive together share a statement. */
export class LostDeliveries {
  readonly #batcher: Batcher<RepeatedClaim, DeliveredTask[]>;

  constructor(db: Store, { vault, log, times }: { vault: Vault; log: Logger; times: Times }) {
    // On a connection of its own: after a server outage every agent asks, and ordinary reads must not wait for that.
    const lane = db.createLane('asyncCommit');
    this.#batcher = new Batcher(
      (claims) =>
        shareAmong(
          claims,
          (newest) => listLost(lane, newest, times),
          (row) => toDeliveredTask(vault, log, row),
        ),
      { maxItems: MAX_HOSTS_PER_LOOK, isSplit: isRefused },
    );
  }

  /**
   * @returns up to `slots` attempts that were delivered to the session, and that it has neither started nor reported
   */
  find(claim: RepeatedClaim): Promise<DeliveredTask[]> {
    return this.#batcher.add(claim);
  }
}
