import type { CreateOptions } from '../options.ts';
import { TaskType } from '../types.ts';
import type { BulkTaskName, CreatableTaskName, TaskPayloads, TerminalFilter } from '../types.ts';
import { toBulkFilter } from './filters.ts';
import { toNumber } from './names.ts';

/**
 * Which terminals are meant: those that are named, those that match a filter, or all. A filter that is empty by mistake,
 * such as `{ status: [] }`, is refused.
 */
export type ManyTerminals =
  | {
      /** These terminals. */
      terminal_ids: readonly string[];
    }
  | {
      /** All terminals that match. */
      filter: TerminalFilter;
    }
  | {
      /** All terminals. */
      all: true;
    };

/** What a task for many terminals is, when it is carried out, and which terminals it is for. */
export type BulkRequest<Name extends CreatableTaskName> = {
  /** ISO 8601; carried out then, and not as soon as possible. */
  planned_at?: string | undefined;
  /** Each terminal so much later than the one before it. */
  stagger_seconds?: number | undefined;
} & (Record<string, never> extends TaskPayloads[Name]
  ? {
      /** Parameters of the task. */
      payload?: TaskPayloads[Name] | undefined;
    }
  : {
      /** Parameters of the task. */
      payload: TaskPayloads[Name];
    }) &
  ManyTerminals;

/** The request as it is sent. @throws InvalidArgumentError */
export const toBulkBody = <Name extends CreatableTaskName>(type: Name, request: BulkRequest<Name>): object => ({
  ...request,
  type: toNumber(TaskType, type),
  ...('filter' in request ? { filter: toBulkFilter(request.filter) } : {}),
});

/** The call that creates the tasks. */
export const toBulkCall =
  <Name extends BulkTaskName>(type: Name, request: BulkRequest<Name>, options: CreateOptions | undefined) =>
  () => {
    const body = toBulkBody(type, request);
    const path = '/v1/my/trading/terminals/bulk/tasks';
    return { method: 'POST', post: 'keyed', path, query: { include: 'warnings' }, body, options } as const;
  };
