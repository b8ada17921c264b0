/**
 * The lock of a terminal: logins, experts, trading and its start are refused until it is unlocked. It counts from the
 * moment of its transaction on, whatever was asked for a moment before:
 * - what waits is canceled;
 * - what a host has in hand is failed, so that nothing that it reports counts; and because it may be doing it right now,
 *   a task that switches algo trading off follows. Its delivery ends the attempt on the host.
 * - what is being created at the same moment waits for the lock, or the lock for it (`withAsked`).
 */
import { ResultStatus, TaskType, toServiceResult, type TaskResult } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { sql, type Queryable, type Transaction } from '../db/database.ts';
import type { TaskEnds } from '../tasks/ends.ts';
import type { TaskInbox } from '../tasks/inbox.ts';
import { cancelLockedStatement } from '../tasks/transitions.ts';
import { lockTasks, takeBackInHand } from '../tasks/outcomes.ts';

export interface LockParts {
  inbox: Pick<TaskInbox, 'addAllWithin'>;
  ends: TaskEnds;
  clock: Clock;
}

/** Of all hosts, and without one: from the terminal's open tasks. */
const openStatement = sql(
  'list_open_tasks_of_terminal',
  `select id from tasks where terminal_id = $1 and finished_at is null`,
);

/** Of two locks that which ends later counts, with its reason; one without an end ends last. */
const isLater = `(locked_reason is null or lock_ends_at < coalesce($3::timestamptz, 'infinity'))`;
const lockStatement = sql(
  'lock_terminal_for_risk',
  `update terminals set locked_reason = case when ${isLater} then $2 else locked_reason end,
     lock_ends_at = case when ${isLater} then $3::timestamptz else lock_ends_at end, updated_at = now()
   where id = $1 and deleted_at is null returning user_id`,
);

export interface Lock {
  /** For the terminal's owner, in whole sentences. */
  reason: string;
  /** null: when somebody unlocks the terminal. */
  endsAt: Date | null;
}

const lockOpenTasks = async (tx: Queryable, terminalId: string): Promise<void> => {
  const open = await tx.query<{ id: string }>(openStatement, [terminalId]);
  await lockTasks(
    tx,
    open.map(({ id }) => id),
  );
};

const toResult = (reason: string, now: Date): TaskResult =>
  toServiceResult(ResultStatus.REFUSED, 'lock', 'E_UNSUPPORTED', `The terminal was locked: ${reason}`, now);

/**
 * Locks the terminal, in the caller's transaction; its host is woken after it. One that is locked for as long, or for
 * longer, stays as it is. The caller has made sure whose terminal it is.
 * @returns false where there is no such terminal
 */
export const lockTerminal = async (
  tx: Transaction,
  { inbox, ends, clock }: LockParts,
  terminalId: string,
  { reason, endsAt }: Lock,
): Promise<boolean> => {
  // Tasks before terminals, as everywhere; and once more, for what was created before the terminal was held.
  await lockOpenTasks(tx, terminalId);
  const [locked] = await tx.query<{ user_id: string }>(lockStatement, [terminalId, reason, endsAt]);
  if (!locked) return false;
  const result = toResult(reason, new Date(clock.now()));
  await ends.end(tx, cancelLockedStatement, [JSON.stringify(result), terminalId], { isQuiet: false });
  if ((await takeBackInHand(tx, ends, { terminalIds: [terminalId], result, actor: 'service' })) === 0) return true;
  const { OPTIONS_AUTO_TRADE: type } = TaskType;
  const off = {
    userId: locked.user_id,
    terminalId,
    type,
    payload: { allow_algo_trading: 0 },
    actor: 'service' as const,
  };
  await inbox.addAllWithin(tx, [off]);
  return true;
};
