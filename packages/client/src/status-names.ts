/** Names of the numbers in responses. */
import { TaskStatus, TaskType, TerminalStatus } from './types.ts';
import type { TaskStatusName, TaskTypeName, TerminalStatusName } from './types.ts';

const invert = <Name extends string, Value extends number>(table: Readonly<Record<Name, Value>>): Record<Value, Name> =>
  Object.fromEntries(Object.entries(table).map(([name, value]) => [value, name])) as Record<Value, Name>;

/**
 * The name of each status of tasks.
 * @example
 * import { taskStatusNames } from '@berth/client';
 * taskStatusNames[4]; // => 'COMPLETED'
 */
export const taskStatusNames: Readonly<Record<TaskStatus, TaskStatusName>> = invert(TaskStatus);

/**
 * The name of each type of task.
 * @example
 * import { taskTypeNames } from '@berth/client';
 * taskTypeNames[6]; // => 'SCREENSHOT'
 */
export const taskTypeNames: Readonly<Record<TaskType, TaskTypeName>> = invert(TaskType);

/**
 * The name of each status of terminals.
 * @example
 * import { terminalStatusNames } from '@berth/client';
 * terminalStatusNames[3]; // => 'ACTIVE'
 */
export const terminalStatusNames: Readonly<Record<TerminalStatus, TerminalStatusName>> = invert(TerminalStatus);
