/**
 * The lock of a terminal: logins, experts, trading and its start are refused until it is unlocked. It counts from the
 * moment of its transaction on, whatever was asked for a moment before:
 * - what waits is canceled;
 * - what a host has in hand is failed, so that nothing that it reports counts; and because it may be doing it right now,
 *   a task that switches algo trading off follows. Its delivery ends the attempt on the host.
 * - what is being created at the same moment waits for the lock, or the lock for it (`withAsked`).
 */
import { isRefusedByLock, ResultStatus, TaskStatus, TaskType, toServiceResult, type TaskResult } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { sql, type Queryable, type Transaction } from '../db/database.ts';
import { recordEvents } from '../events/record.ts';
import type { TaskEnds } from '../tasks/ends.ts';
import type { TaskInbox } from '../tasks/inbox.ts';
import { cancelLockedStatement } from '../tasks/move-statements.ts';
import { lockTasks, moveTasks } from '../tasks/outcomes.ts';

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

const lockStatement = sql(
  'lock_terminal_for_risk',
  `update terminals set locked_reason = coalesce(locked_reason, $2), updated_at = now()
   where id = $1 and deleted_at is null returning user_id`,
);

const lockOpenTasks = async (tx: Queryable, terminalId: string) => {
  const open = await tx.query<{ id: string }>(openStatement, [terminalId]);
  const ids = open.map(({ id }) => id);
  return [...(await lockTasks(tx, ids)).values()];
};

const toResult = (reason: string, now: Date): TaskResult =>
  toServiceResult(ResultStatus.REFUSED, 'lock', 'E_UNSUPPORTED', `The terminal was locked: ${reason}`, now);

/**
 * Locks the terminal, in the caller's transaction; its host is woken after it. One that is locked keeps its first
 * reason. The caller has made sure whose terminal it is.
 * @param reason for its owner, a sentence
 * @returns false where there is no such terminal
 */
export const lockTerminal = async (
  tx: Transaction,
  { inbox, ends, clock }: LockParts,
  terminalId: string,
  reason: string,
): Promise<boolean> => {
  // Tasks before terminals, as everywhere; and once more, for what was created before the terminal was held.
  await lockOpenTasks(tx, terminalId);
  const [locked] = await tx.query<{ user_id: string }>(lockStatement, [terminalId, reason]);
  if (!locked) return false;
  const result = toResult(reason, new Date(clock.now()));
  await ends.end(tx, cancelLockedStatement, [JSON.stringify(result), terminalId], { isQuiet: false });
  const { DELIVERED, RUNNING, FAILED } = TaskStatus;
  const inHand = (await lockOpenTasks(tx, terminalId)).filter(
    ({ status, type, payload }) => (status === DELIVERED || status === RUNNING) && isRefusedByLock(type, payload),
  );
  if (inHand.length === 0) return true;
  const moves = inHand.map((task) => ({ task, to: FAILED, result, delayMs: 0, actor: 'service' as const }));
  await moveTasks(tx, moves, ends);
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

const unlockStatement = sql(
  'unlock_terminal',
  `update terminals set locked_reason = null, updated_at = now()
   where id = $1 and user_id = $2 and deleted_at is null and locked_reason is not null returning name`,
);

/**
 * Ends what rules hold for a lock. Before the terminal is written, because reports of breaches write them in that order,
 * too.
 */
const releaseStatement = sql(
  'release_risk_breaches',
  `with released as (
     update risk_breaches set released_at = now()
     where terminal_id = $1 and user_id = $2 and locked_at is not null and released_at is null
       and exists (select from terminals where id = $1 and user_id = $2 and locked_reason is not null)
     returning id
   )
   select note_risk_change(array[t.host_id]) from terminals t
   where t.id = $1 and t.user_id = $2 and exists (select from released)`,
);

/**
 * Unlocks the user's terminal, and says so; does nothing where it is not locked. Of two at once, one does. Its host no
 * longer holds what led to the lock.
 */
export const unlockTerminal = async (
  tx: Transaction,
  { userId, terminalId, reason }: { userId: string; terminalId: string; reason: string },
): Promise<void> => {
  await tx.query(releaseStatement, [terminalId, userId]);
  const [unlocked] = await tx.query<{ name: string }>(unlockStatement, [terminalId, userId]);
  if (!unlocked) return;
  const data = { name: unlocked.name, reason };
  await recordEvents(tx, [{ type: 'security.unlocked', userId, terminalId, data }]);
};
