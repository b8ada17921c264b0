import {
  AnyObject,
  Nullable,
  NullableTimestamp,
  OneOf,
  OneOfNumbers,
  Timestamp,
  Type,
  Uuid,
  Warnings,
  type Static,
} from '../schema.ts';
import type { TaskPayload, TaskResultOf } from './by-type.ts';
import { taskActors, taskStatuses, type TaskStatus } from './machine.ts';
import { BulkRun } from './run-resources.ts';
import { taskTypes, type TaskType } from './types.ts';

const TaskFields = Type.Object({
  id: Uuid('Identifier'),
  user_id: Uuid('Creator'),
  host_id: Nullable('string', { description: 'Host; null until the terminal has one' }),
  terminal_id: Uuid('Terminal'),
  terminal_name: Type.Optional(Type.String({ description: 'Only if the query asks for it' })),
  /** The run that it stands for; only with `one_per_run=true`. */
  run: Type.Optional(BulkRun),
  chart_id: Nullable('string', { description: 'Only for tasks of one chart' }),
  type: OneOfNumbers(taskTypes),
  payload: AnyObject('Parameters; secrets read as "********"'),
  result: AnyObject('`{runner_result: [{step, ok, code, message, at, data}], status}`'),
  status: OneOfNumbers(taskStatuses),
  attempts: Type.Integer(),
  planned_at: NullableTimestamp(),
  delivered_at: Nullable<number>('integer', { description: 'Unix seconds' }),
  started_at: Nullable<number>('integer', { description: 'Unix seconds' }),
  finished_at: Nullable<number>('integer', { description: 'Unix seconds' }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  deleted_at: NullableTimestamp(),
});

/**
 * A task of one type, with that type's payload and result.
 * @example
 * import { TaskStatus, TaskType, type Task } from '@berth/contract';
 * const findScreenshotUrl = (task: Task): string | undefined => {
 *   if (task.type !== TaskType.SCREENSHOT || task.status !== TaskStatus.COMPLETED) return undefined;
 *   return task.result.runner_result.at(-1)?.data.file?.url;
 * };
 */
export type TaskOf<Type extends TaskType> = Omit<Static<typeof TaskFields>, 'type' | 'payload' | 'result'> & {
  type: Type;
  payload: TaskPayload<Type>;
  result: TaskResultOf<Type>;
};
export type Task = { [Type in TaskType]: TaskOf<Type> }[TaskType];
export const Task = Type.Unsafe<Task>(TaskFields);

/** One move of a task from status to status. */
export const TaskMove = Type.Object({
  at: Timestamp(),
  from: Nullable<TaskStatus>('integer', { description: 'null for the creation of the task' }),
  to: OneOfNumbers(taskStatuses),
  actor: OneOf(taskActors, { description: 'Who made the move' }),
  attempt: Type.Integer({ description: 'Number of attempts at that time' }),
});
export type TaskMove = Static<typeof TaskMove>;

export const CreatedTask = Type.Object({
  id: Uuid('Identifier'),
  type: OneOfNumbers(taskTypes),
  status: OneOfNumbers(taskStatuses),
  created_at: Timestamp(),
});
export type CreatedTask = Static<typeof CreatedTask>;

/** The outcome of a call for many terminals, for one of them. */
export const BulkCreation = Type.Object({
  terminal_id: Type.String({ description: 'As it was named, in lower case' }),
  ok: Type.Boolean({ description: 'false: no task was created, and `msg` says why' }),
  task_id: Nullable('string'),
  msg: Type.String(),
  warnings: Warnings,
});
export type BulkCreation = Static<typeof BulkCreation>;
