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
import { taskActors, taskStatuses, type TaskStatus } from './machine.ts';
import { BulkRun } from './run-resources.ts';
import { taskTypes, type TaskResult, type TaskType } from './types.ts';
import type { factSchemas } from './facts.ts';
import type { payloadSchemas } from './payloads.ts';

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

/** Payload and result of each type of task, as static types by its number. Nothing of this exists at run time. */
type OfOne<Type extends TaskType> = Static<(typeof factSchemas)[Type]>;

/** Facts as a reader of the API gets them: the server adds the URL of a screenshot. */
type Shown<Facts> = { [Name in keyof Facts]: Name extends 'file' ? Facts[Name] & { url: string } : Facts[Name] };

/**
 * Parameters of a task of the type.
 * @example
 * import type { TaskPayload, TaskType } from '@berth/contract';
 * const payload: TaskPayload<typeof TaskType.OPTIONS_AUTO_TRADE> = { allow_algo_trading: 1 };
 */
export type TaskPayload<Type extends TaskType = TaskType> = Type extends TaskType
  ? Static<(typeof payloadSchemas)[Type]>
  : never;

/**
 * `result` of a task of the type.
 * @example
 * import { TaskType, type TaskResultOf } from '@berth/contract';
 * const findLines = ({ runner_result: steps }: TaskResultOf<typeof TaskType.EA_LOGS>): string[] =>
 *   steps.at(-1)?.data.lines ?? [];
 * findLines({ runner_result: [], status: 0 }); // => []
 */
export type TaskResultOf<Type extends TaskType = TaskType> = Type extends TaskType
  ? TaskResult<Partial<Shown<OfOne<Type>>>>
  : never;

/** Types that a user can create. */
export type CreatableTaskType = Exclude<TaskType, typeof TaskType.TERMINAL_INSTALL>;

/** The body that creates a task of the type: the payload may be omitted only where none of its fields is required. */
export type TaskRequest<Type extends CreatableTaskType = CreatableTaskType> = Type extends CreatableTaskType
  ? { type: Type; planned_at?: string; chart_id?: string } & (Record<string, never> extends TaskPayload<Type>
      ? { payload?: TaskPayload<Type> }
      : { payload: TaskPayload<Type> })
  : never;
