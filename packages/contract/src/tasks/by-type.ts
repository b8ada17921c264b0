/** Payload and result of each type of task, as static types by its number. Nothing of this exists at run time. */
import type { Static } from '../schema.ts';
import type { factSchemas } from './facts.ts';
import type { payloadSchemas } from './payloads.ts';
import type { TaskResult, TaskType } from './types.ts';

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
