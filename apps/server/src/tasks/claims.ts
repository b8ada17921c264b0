/**
 * Handing tasks to hosts. One statement serves any number of waiting hosts: it finds the head of each terminal's queue,
 * takes the lease (whose primary key, the terminal, allows one attempt at a time) and moves the task to DELIVERED. The
 * fence it hands out is the attempt number. Users of one host take turns (`withClaimableHeads`).
 *
 * A delivery whose answer was lost is repeated, as the same attempt: the claim lists what the agent has in hand, and
 * what is DELIVERED to its session and not listed has not arrived (`claimStatement`). Why nothing runs twice: a session
 * is one process of an agent, which sends one claim at a time, and accepts nothing until that is answered or given up.
 * What it accepted earlier is listed; or it is forgotten after a verdict or a revocation, and then it is not DELIVERED,
 * or its lease has ended. Where that does not hold (a promoted standby has lost the end, or the host ended the attempt
 * by itself), the agent still knows what it accepted (`attempt-runner.ts`). So:
 * - an answer that arrives late belongs to a claim that was given up, and nobody reads it;
 * - what an old claim of the session is given at another server is found by a later one;
 * - a restarted agent is a new session, and gets nothing of the earlier one, which may have started it;
 * - a lease that ends meanwhile ends the attempt: the next one has another fence.
 */
import type { DeliveredTask } from '@berth/contract';
import { Batcher, LruCache, type Logger } from '@berth/kit';
import { isRefused, type Queryable, type Store } from '../db/database.ts';
import type { Vault } from '../secrets/vault.ts';
import type { Times } from '../times.ts';
import { toDeliveredTask, type DeliveredRow } from './delivery.ts';
import { claimStatement } from './move-statements.ts';

const MAX_HOSTS_PER_CLAIM = 128;

export interface Claim {
  hostId: string;
  sessionId: string;
  slots: number;
  /** Every attempt that the agent has in hand. Undefined: it does not say, and nothing is repeated. */
  known?: readonly { task_id: string; fence: number }[] | undefined;
}

interface ClaimParts {
  vault: Vault;
  log: Logger;
  times: Times;
}

/** Before the first user's id. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * The user served last, after whom the next turn starts: of those who were just served, the latest in the order of ids,
 * starting after the previous one and wrapping around. All users in between were served, have more tasks running, or
 * have nothing to do.
 */
const toLastServed = (last: string, served: readonly string[]): string => {
  const beyondTheEnd = served.filter((id) => id <= last);
  return (beyondTheEnd.length > 0 ? beyondTheEnd : served).reduce((a, b) => (a > b ? a : b), NOBODY);
};

/** Claims by one statement. @param lastUsers by host: the user served last */
const claimRows = async (
  db: Queryable,
  claims: readonly Claim[],
  lastUsers: LruCache,
  { leaseMs, deliveredDeadlineMs, heartbeatMs }: Times,
): Promise<DeliveredRow[]> => {
  const known = claims.flatMap(({ hostId, known: attempts = [] }) =>
    attempts.map((attempt) => ({ hostId, ...attempt })),
  );
  const lastServed = claims.map(({ hostId }) => lastUsers.get(hostId) ?? NOBODY);
  const rows = await db.query<DeliveredRow>(claimStatement, [
    claims.map((claim) => claim.hostId),
    claims.map((claim) => claim.slots),
    leaseMs,
    deliveredDeadlineMs,
    claims.map((claim) => claim.sessionId),
    lastServed,
    claims.map((claim) => claim.known !== undefined),
    known.map((attempt) => attempt.hostId),
    known.map((attempt) => attempt.task_id),
    known.map((attempt) => attempt.fence),
    heartbeatMs,
  ]);
  const served = new Map<string, string[]>();
  for (const { host_id: hostId, user_id: userId } of rows) served.set(hostId, [...(served.get(hostId) ?? []), userId]);
  claims.forEach(({ hostId }, index) => {
    const users = served.get(hostId);
    if (users) lastUsers.set(hostId, toLastServed(lastServed[index]!, users));
  });
  return rows;
};

/** Claims for hosts; claims that arrive together share a statement. */
export class TaskClaims {
  readonly #lane: Queryable;
  readonly #parts: ClaimParts;
  readonly #batcher: Batcher<Claim, DeliveredTask[]>;
  /** The user served last on a host. Where it is unknown, a turn starts with the first user. */
  readonly #lastUsers = new LruCache();

  constructor(db: Store, parts: ClaimParts) {
    this.#lane = db.createLane('durable');
    this.#parts = parts;
    this.#batcher = new Batcher((claims) => this.#claimAll(claims), {
      maxItems: MAX_HOSTS_PER_CLAIM,
      isSplit: isRefused,
    });
  }

  /**
   * @returns up to `slots` tasks that are due on the host, chosen in turns among users, in the order of their creation;
   *   or those that were handed out to it and did not arrive
   */
  claim(claim: Claim): Promise<DeliveredTask[]> {
    return this.#batcher.add(claim);
  }

  /**
   * A host may briefly wait twice: on a connection that it abandoned, or by an agent that was superseded. What is found
   * goes to the newer claim only: otherwise an attempt would be carried out twice under one fence.
   */
  async #claimAll(claims: readonly Claim[]): Promise<DeliveredTask[][]> {
    const { vault, log, times } = this.#parts;
    const newest = new Map(claims.map((claim) => [claim.hostId, claim]));
    const byHost = new Map<string, DeliveredTask[]>();
    for (const row of await claimRows(this.#lane, [...newest.values()], this.#lastUsers, times)) {
      const tasks = byHost.get(row.host_id) ?? [];
      byHost.set(row.host_id, tasks);
      tasks.push(toDeliveredTask(vault, log, row));
    }
    return claims.map((claim) => (newest.get(claim.hostId) === claim ? (byHost.get(claim.hostId) ?? []) : []));
  }
}
