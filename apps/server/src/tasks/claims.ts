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
 *
 * A claim that waits is also served by the call that creates a task for its host: `hand-over.ts`.
 */
import type { DeliveredTask } from '@berth/contract';
import { Batcher, LruCache, type Logger } from '@berth/kit';
import { isRefused, type Call, type Queryable, type Store } from '../db/database.ts';
import { LOWEST_ID } from '../db/ids.ts';
import type { Claim } from '../hosts/long-polls.ts';
import type { Vault } from '../secrets/vault.ts';
import type { Times } from '../times.ts';
import { toDeliveredTask, type DeliveredRow } from './delivery.ts';
import { claimStatement } from './transitions.ts';

const MAX_HOSTS_PER_CLAIM = 128;

interface ClaimParts {
  vault: Vault;
  log: Logger;
  times: Times;
}

/**
 * The user served last, after whom the next turn starts: of those who were just served, the latest in the order of ids,
 * starting after the previous one and wrapping around. All users in between were served, have more tasks running, or
 * have nothing to do.
 */
const toLastServed = (last: string, served: readonly string[]): string => {
  const beyondTheEnd = served.filter((id) => id <= last);
  return (beyondTheEnd.length > 0 ? beyondTheEnd : served).reduce((a, b) => (a > b ? a : b), LOWEST_ID);
};

/** Claims for hosts; claims that arrive together share a statement. */
export class TaskClaims {
  readonly #writes: Queryable;
  readonly #parts: ClaimParts;
  readonly #batcher: Batcher<Claim, DeliveredTask[]>;
  /** The user served last on a host. Where it is unknown, a turn starts with the first user. */
  readonly #lastUsers = new LruCache();

  constructor(db: Store, parts: ClaimParts) {
    // Planning would take 1.1 of the 1.8 ms of a claim.
    this.#writes = db.createWritePipeline('durable', { keepsPlans: true });
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
    const newest = new Map(claims.map((claim) => [claim.hostId, claim]));
    const rows = await this.#writes.query<DeliveredRow>(...this.toCall([...newest.values()]));
    const found = this.toFound(rows);
    return claims.map((claim) => (newest.get(claim.hostId) === claim ? (found.get(claim.hostId) ?? []) : []));
  }

  /**
   * The statement of these claims, of one host each.
   * @param terminalIds looks at no other terminals
   */
  toCall(claims: readonly Claim[], terminalIds: readonly string[] | null = null): Call {
    const { leaseMs, deliveredDeadlineMs, heartbeatMs } = this.#parts.times;
    const known = claims.flatMap(({ hostId, known: attempts = [] }) =>
      attempts.map((attempt) => ({ hostId, ...attempt })),
    );
    const values = [
      claims.map((claim) => claim.hostId),
      claims.map((claim) => claim.slots),
      leaseMs,
      deliveredDeadlineMs,
      claims.map((claim) => claim.sessionId),
      claims.map(({ hostId }) => this.#lastUsers.get(hostId) ?? LOWEST_ID),
      claims.map((claim) => claim.known !== undefined),
      known.map((attempt) => attempt.hostId),
      known.map((attempt) => attempt.task_id),
      known.map((attempt) => attempt.fence),
      heartbeatMs,
      terminalIds,
    ];
    return [claimStatement, values];
  }

  /** @param rows what the statement returned. @returns by host: its tasks */
  toFound(rows: readonly DeliveredRow[]): Map<string, DeliveredTask[]> {
    const { vault, log } = this.#parts;
    const found = new Map<string, DeliveredTask[]>();
    const served = new Map<string, string[]>();
    for (const row of rows) {
      const { host_id: hostId, user_id: userId } = row;
      found.set(hostId, [...(found.get(hostId) ?? []), toDeliveredTask(vault, log, row)]);
      served.set(hostId, [...(served.get(hostId) ?? []), userId]);
    }
    for (const [hostId, users] of served)
      this.#lastUsers.set(hostId, toLastServed(this.#lastUsers.get(hostId) ?? LOWEST_ID, users));
    return found;
  }
}
