/**
 * Handing tasks to hosts. One statement serves any number of waiting hosts: it finds the head of each terminal's queue,
 * takes the lease (whose primary key, the terminal, allows one attempt at a time) and moves the task to DELIVERED. The
 * fence it hands out is the attempt number. Users of one host take turns (`withClaimableHeads`).
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
  { leaseMs, deliveredDeadlineMs }: Times,
): Promise<DeliveredRow[]> => {
  const lastServed = claims.map(({ hostId }) => lastUsers.get(hostId) ?? NOBODY);
  const rows = await db.query<DeliveredRow>(claimStatement, [
    claims.map((claim) => claim.hostId),
    claims.map((claim) => claim.slots),
    leaseMs,
    deliveredDeadlineMs,
    claims.map((claim) => claim.sessionId),
    lastServed,
  ]);
  const served = new Map<string, string[]>();
  for (const { host_id: hostId, user_id: userId } of rows) served.set(hostId, [...(served.get(hostId) ?? []), userId]);
  claims.forEach(({ hostId }, index) => {
    const users = served.get(hostId);
    if (users) lastUsers.set(hostId, toLastServed(lastServed[index]!, users));
  });
  return rows;
};

/**
 * Distributes what was found for its host to each claim. A host may briefly wait twice: on a connection that it
 * abandoned, or by an agent that was superseded. What was found goes to the newer one only: otherwise an attempt would
 * be carried out twice under one fence.
 * @param find called for the newest claim of each host
 */
export const shareAmong = async <Wish extends Claim>(
  claims: readonly Wish[],
  find: (newest: Wish[]) => Promise<DeliveredRow[]>,
  toTask: (row: DeliveredRow) => DeliveredTask,
): Promise<DeliveredTask[][]> => {
  const newest = new Map(claims.map((claim) => [claim.hostId, claim]));
  const byHost = new Map<string, DeliveredTask[]>();
  for (const row of await find([...newest.values()])) {
    const tasks = byHost.get(row.host_id) ?? [];
    byHost.set(row.host_id, tasks);
    tasks.push(toTask(row));
  }
  return claims.map((claim) => (newest.get(claim.hostId) === claim ? (byHost.get(claim.hostId) ?? []) : []));
};

/** Claims for hosts; claims that arrive together share a statement. */
export class TaskClaims {
  readonly #batcher: Batcher<Claim, DeliveredTask[]>;
  /** The user served last on a host. Where it is unknown, a turn starts with the first user. */
  readonly #lastUsers = new LruCache();

  constructor(db: Store, { vault, log, times }: { vault: Vault; log: Logger; times: Times }) {
    const lane = db.createLane('durable');
    this.#batcher = new Batcher(
      (claims) =>
        shareAmong(
          claims,
          (newest) => claimRows(lane, newest, this.#lastUsers, times),
          (row) => toDeliveredTask(vault, log, row),
        ),
      { maxItems: MAX_HOSTS_PER_CLAIM, isSplit: isRefused },
    );
  }

  /**
   * @returns up to `slots` tasks that are due on the host, chosen in turns among users, in the order of their creation
   */
  claim(claim: Claim): Promise<DeliveredTask[]> {
    return this.#batcher.add(claim);
  }
}
