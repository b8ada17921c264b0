/** Statuses of a task. Apart from the machine that moves them, because every page needs these and only a few need that. */

export const TaskStatus = {
  PENDING: 0,
  QUEUED: 1,
  DELIVERED: 2,
  RUNNING: 3,
  COMPLETED: 4,
  FAILED: 5,
  CANCELED: 6,
  TERMINATED: 7,
} as const;
export type TaskStatusName = keyof typeof TaskStatus;
export type TaskStatus = (typeof TaskStatus)[TaskStatusName];

export const taskStatuses = Object.values(TaskStatus);

const names = Object.fromEntries(Object.entries(TaskStatus).map(([name, status]) => [status, name]));
/**
 * The name of a status.
 * @example
 * import { toTaskStatusName } from '@berth/contract/values';
 * toTaskStatusName(5); // => 'FAILED'
 */
export const toTaskStatusName = (status: TaskStatus): TaskStatusName => names[status] as TaskStatusName;

/**
 * True for a status that a task never leaves.
 * @example
 * import { isFinalTaskStatus, TaskStatus } from '@berth/contract/values';
 * isFinalTaskStatus(TaskStatus.RUNNING); // => false
 * isFinalTaskStatus(TaskStatus.CANCELED); // => true
 */
export const isFinalTaskStatus = (status: TaskStatus): boolean => status >= TaskStatus.COMPLETED;
