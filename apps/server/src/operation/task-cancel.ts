/** Tasks of users that operators cancel, each with its row of the audit log, which their users see. */
import { ResultStatus, toServiceResult } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { recordAudit } from '../audit/record.ts';
import { sql, type Transaction } from '../db/database.ts';
import { AppError } from '../errors.ts';
import type { TaskEnds } from '../tasks/ends.ts';
import { cancelAnyTask } from '../tasks/queries.ts';
import type { TaskRow } from '../tasks/task-row.ts';
import type { ActingOperator } from './acting-operator.ts';

const findStatement = sql('find_any_task', `select from tasks where id = $1`);

/**
 * As its user could.
 * @returns undefined where a host has it, or it has ended
 * @throws AppError not_found
 */
export const cancelForUser = async (
  tx: Transaction,
  { ends, clock }: { ends: TaskEnds; clock: Clock },
  { actor }: ActingOperator,
  taskId: string,
): Promise<TaskRow | undefined> => {
  const text = 'The task was canceled by an operator.';
  const now = new Date(clock.now());
  const result = toServiceResult(ResultStatus.REFUSED, 'cancel', 'E_NOT_RUNNING', text, now);
  const canceled = await cancelAnyTask(tx, taskId, result);
  if (!canceled) {
    if ((await tx.query(findStatement, [taskId])).length === 0) throw AppError.notFound('Task');
    return undefined;
  }
  await ends.note(tx, [canceled], { isQuiet: true });
  const { user_id: userId, terminal_id: terminalId, type } = canceled;
  const change = { action: 'task.cancel', userId, after: { type, terminal_id: terminalId } } as const;
  await recordAudit(tx, actor, { ...change, target: { type: 'task', id: taskId } });
  return canceled;
};
