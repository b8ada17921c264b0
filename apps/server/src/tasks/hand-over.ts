/**
 * Direct hand-over: where the claim of a host waits in this process, a task for the host is inserted and claimed in one
 * transaction, and the claim is answered with it. Otherwise a task takes two commits to reach its host, with a wake-up
 * in between. Tried without: an idle host starts it after 6.5 to 7.1 ms instead of 4.0 to 4.3.
 *
 * It is the same statement that claims, for the claim that waits, so all that a claim promises holds here: nothing for a
 * session that is over, no more than its slots, one attempt per terminal, stops first, users in turn. It looks at the
 * terminals of the new tasks only, because a claim that waits has found nothing on the others; so the call that creates
 * a task takes no longer where a host has many terminals. While it runs, nobody else answers the claim, and then
 * - the claim has been given tasks; or
 * - there was nothing for it, for example because the terminal is busy, and it waits on; or
 * - the outcome is unknown, and it fails: the agent claims again, and lists what it has in hand; or
 * - its caller has left meanwhile: what it was given is a delivery like any other that did not arrive.
 */
import type { DeliveredTask } from '@berth/contract';
import { isRefused, type WritePipeline } from '../db/database.ts';
import type { WaitingClaim } from '../hosts/long-polls.ts';
import type { TaskClaims } from './claims.ts';
import type { DeliveredRow } from './delivery.ts';
import { toInsertion, type InsertedTask, type NewTask } from './queries.ts';

interface Outcome {
  rows: InsertedTask[];
  /** By host. */
  found: Map<string, DeliveredTask[]>;
}

const insertAndClaim = async (
  writes: WritePipeline,
  claims: TaskClaims,
  tasks: readonly NewTask[],
  waiting: readonly WaitingClaim[],
): Promise<Outcome> => {
  const claimCall = claims.toCall(
    waiting.map(({ claim }) => claim),
    tasks.map(({ terminalId }) => terminalId),
  );
  const [rows, delivered] = await writes.transact([toInsertion(tasks), claimCall]);
  return { rows: rows as InsertedTask[], found: claims.toFound(delivered as DeliveredRow[]) };
};

/**
 * Inserts the tasks, and answers the claims that wait, one of each host, with those that they can take.
 * @returns one row per task, in the same order, and the ids of those that were handed over
 */
export const handOver = async (
  writes: WritePipeline,
  claims: TaskClaims,
  tasks: readonly NewTask[],
  waiting: readonly WaitingClaim[],
): Promise<{ rows: InsertedTask[]; handedOver: Set<string> }> => {
  const outcome = insertAndClaim(writes, claims, tasks, waiting);
  const nothing = (error: unknown): Outcome => {
    if (isRefused(error)) return { rows: [], found: new Map() };
    throw error;
  };
  const settled = outcome.catch(nothing);
  for (const each of waiting) each.answer(settled.then(({ found }) => found.get(each.claim.hostId) ?? []));
  const { rows, found } = await outcome;
  return { rows, handedOver: new Set([...found.values()].flat().map(({ id }) => id)) };
};
