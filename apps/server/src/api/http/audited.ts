/** Creations that the audit log has. */
import { isAuditedTask, toTaskTypeName, type TaskType } from '@berth/contract';
import { recordAudit, type Actor, type AuditChange } from '../../audit/record.ts';
import type { Creation } from '../../db/database.ts';

/**
 * The creation, recorded in the transaction that does it.
 * @param toChange of what the work returned; undefined: it was refused, or nothing of it is kept
 */
export const withAudit = <Created>(
  creation: Creation,
  actor: Actor,
  toChange: (created: Created) => AuditChange | undefined,
): Creation => ({
  hasKey: true,
  within: (work) =>
    creation.within(async (tx) => {
      const result = await work(tx);
      const change = toChange(result as unknown as Created);
      if (change) await recordAudit(tx, actor, change);
      return result;
    }),
});

/** What is kept of a task, and of a run of them. */
export const toTaskFields = (type: TaskType, payload: object) => ({ type: toTaskTypeName(type), payload });

/** A run of tasks that are kept one by one has one row; of other runs nothing is kept. */
export const withRunAudit = <Run>(
  creation: Creation,
  input: { actor: Actor; type: TaskType; payload: object },
  toParts: (run: Run) => { id: string; terminals: number } | undefined,
): Creation => {
  const { type, payload } = input;
  if (!isAuditedTask(type)) return creation;
  return withAudit<Run>(creation, input.actor, (run) => {
    const parts = toParts(run);
    if (!parts) return undefined;
    const after = { ...toTaskFields(type, payload), terminals: parts.terminals };
    return { action: 'run.create', target: { type: 'run', id: parts.id }, after };
  });
};
