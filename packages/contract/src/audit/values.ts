import { TaskType } from '../tasks/types.ts';

/** What a row of the audit log says was done: `webhook.create`. */
export type AuditAction = `${string}.${string}`;

/** Who did it: a user on what is theirs, an operator, or the server itself. */
export const auditActorKinds = ['user', 'operator', 'system'] as const;
export type AuditActorKind = (typeof auditActorKinds)[number];

/** `refused`: of a sign-in, or of a password that is asked for again. What else is refused changes nothing, and has no row. */
export const auditResults = ['done', 'refused'] as const;
export type AuditResult = (typeof auditResults)[number];

/** The tasks that the audit log has: what deletes, signs in and out, trades, stops or starts. Of others there are too many. */
const auditedTypes: ReadonlySet<TaskType> = new Set([
  TaskType.TERMINAL_DESTROY,
  TaskType.ACCOUNT_LOGIN,
  TaskType.ACCOUNT_LOGOUT,
  TaskType.ACCOUNT_OPEN_DEMO,
  TaskType.OPTIONS_AUTO_TRADE,
  TaskType.CLOSE_ALL,
  TaskType.TERMINAL_RESTART,
  TaskType.TERMINAL_STOP,
  TaskType.TERMINAL_START,
]);

/** Whether a task that a user asks for has a row in the audit log. */
export const isAuditedTask = (type: TaskType): boolean => auditedTypes.has(type);
