/**
 * Direct hand-over: the statement that creates a task also leases and delivers it, and the long poll of its host is
 * answered with it. Where the terminal has no open task and the host's claim waits in this process, that saves a
 * wake-up, a commit and a round trip. A task that arrives while the claim is still looking for work waits for the end
 * of that look (`TaskInbox.add`). Everything else takes the ordinary way: PENDING, then a claim.
 *
 * This is safe. The lease's primary key, the terminal, allows one attempt at a time, whoever hands it out. Only a claim
 * that still waits is answered (`ClaimReservation`), and only under the session that the host has in the database. An
 * answer that is lost is a lost delivery like any other: the agent's next claim gets it again, or the lease ends it.
 */
import type { DeliveredTask } from '@berth/contract';
import type { Logger } from '@berth/kit';
import { isRefused, type Queryable } from '../db/database.ts';
import type { ClaimReservation } from '../hosts/long-polls.ts';
import type { Vault } from '../secrets/vault.ts';
import type { Times } from '../times.ts';
import { toDeliveredTask, type DeliveredRow } from './delivery.ts';
import { handOverStatement } from './move-statements.ts';
import { toInsertValues, type InsertedTask, type NewTask } from './queries.ts';

/** The outcome for a task; if it was handed over, with everything that the host needs of it. */
type HandedRow = InsertedTask & Pick<DeliveredRow, 'platform' | 'server_name' | 'login' | 'stored_password'>;

const toDelivered = ({ id, userId, type, payload, sealed, terminalId }: NewTask, row: HandedRow): DeliveredRow => ({
  id,
  user_id: userId,
  fence: 1,
  type,
  payload,
  sealed,
  host_id: row.host_id ?? '',
  terminal_id: terminalId,
  platform: row.platform,
  terminal_status: row.terminal_status!,
  server_name: row.server_name,
  login: row.login,
  stored_password: row.stored_password,
});

/**
 * Inserts the tasks, and hands over those that the waiting claims can take. Every reservation is ended: with its tasks,
 * without any, or with the error that left the outcome open.
 * @param claims for each task, the reservation of the claim that it may go to
 */
export const handOver = async (
  db: Queryable,
  tasks: readonly NewTask[],
  claims: readonly (ClaimReservation | undefined)[],
  { vault, log, times }: { vault: Vault; log: Logger; times: Times },
): Promise<InsertedTask[]> => {
  const reservations = new Set(claims.flatMap((reservation) => reservation ?? []));
  let rows: HandedRow[];
  try {
    rows = await db.query<HandedRow>(handOverStatement, [
      ...toInsertValues(tasks),
      claims.map((reservation) => reservation?.hostId ?? null),
      claims.map((reservation) => reservation?.sessionId ?? null),
      claims.map((reservation) => reservation?.slots ?? null),
      times.leaseMs,
      times.deliveredDeadlineMs,
    ]);
  } catch (error) {
    for (const reservation of reservations) {
      if (isRefused(error)) reservation.release();
      else reservation.fail(error);
    }
    throw error;
  }
  const byHost = new Map<string, DeliveredTask[]>();
  rows.forEach((row, index) => {
    if (!row.is_handed_over || row.host_id === null) return;
    const delivered = byHost.get(row.host_id) ?? [];
    byHost.set(row.host_id, delivered);
    delivered.push(toDeliveredTask(vault, log, toDelivered(tasks[index]!, row)));
  });
  for (const reservation of reservations) {
    const delivered = byHost.get(reservation.hostId);
    if (delivered) reservation.deliver(delivered);
    else reservation.release();
  }
  return rows;
};
