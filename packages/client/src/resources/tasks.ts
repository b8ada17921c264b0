import type { ApiPromise } from '../http/api-promise.ts';
import { assertIds, toPath } from '../http/call.ts';
import { List, type Page } from '../list.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { TaskType } from '../types.ts';
import type {
  AllTasksQuery,
  BulkCreation,
  BulkTaskName,
  CreatableTaskName,
  CreatedTask,
  Task,
  TaskMove,
  TaskPayloads,
  TaskQuery,
} from '../types.ts';
import { Batch } from '../waiting/batch.ts';
import { assertConcurrency, waitForMany, type RunManyOptions, type TerminalResult } from '../waiting/many.ts';
import { waitForTask, type DoneTask, type RunOptions } from '../waiting/task.ts';
import { toTaskQuery } from './filters.ts';
import { toNumber } from './names.ts';
import { toWithWarnings, type WithWarnings } from './warnings.ts';
import { toBulkCall, type BulkRequest } from './many-terminals.ts';
import { Group } from './group.ts';

/** Where and when a task is carried out. */
export interface TaskOptions extends CreateOptions {
  /** ISO 8601; carried out then, and not as soon as possible. */
  plannedAt?: string | undefined;
}

/** The payload may be left out where nothing in it is required. */
export type PayloadArguments<Name extends CreatableTaskName, Options> =
  Record<string, never> extends TaskPayloads[Name]
    ? [payload?: TaskPayloads[Name], options?: Options]
    : [payload: TaskPayloads[Name], options?: Options];

/**
 * Tasks of terminals.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { id } = await berth.terminals.create({ server_name: 'Harbour-Demo', login: '5002', password: 'trade-me' });
 * const { data } = await berth.tasks.run(id, 'MARKET_WATCH_SHOW_ALL', {}, { onStep: ({ step }) => console.log(step) });
 * console.log(`${data.symbols} symbols are shown.`);
 * await berth.terminals.delete(id);
 */
export class Tasks extends Group {
  readonly #batch = new Batch<Task>(async (ids, options) => {
    const tasks = await this.byIds(ids, options);
    return new Map(tasks.map((task) => [task.id, task]));
  });

  /**
   * Creates a task, and does not wait for it. `warnings` says what to mind: another terminal that uses the same account.
   * @throws RefusedError where the terminal takes none
   */
  create<Name extends CreatableTaskName>(
    terminalId: string,
    type: Name,
    ...[payload, options]: PayloadArguments<Name, TaskOptions>
  ): ApiPromise<WithWarnings<CreatedTask>> {
    const call = () => {
      const path = toPath`/v1/my/trading/terminals/${terminalId}/tasks`;
      const body = { type: toNumber(TaskType, type), payload, planned_at: options?.plannedAt };
      return { method: 'POST', post: 'keyed', path, query: { include: 'warnings' }, body, options } as const;
    };
    return this.transport.json(call, 'object', toWithWarnings<CreatedTask>);
  }

  /**
   * Creates a task and waits for its end. Ending the waiting by `signal` does not end the task, unless you say
   * `cancelOnAbort`.
   * @throws TaskFailedError where it ends otherwise than COMPLETED
   */
  async run<Name extends CreatableTaskName>(
    terminalId: string,
    type: Name,
    ...[payload, options]: PayloadArguments<Name, RunOptions<Name> & TaskOptions>
  ): Promise<DoneTask<Name>> {
    const { timeoutMs: _, ...calls } = options ?? {};
    const args = [payload, calls] as PayloadArguments<Name, TaskOptions>;
    const { id } = await this.create(terminalId, type, ...args);
    return this.waitFor<Name>(terminalId, id, options);
  }

  /** Waits for the end of a task that there is already, as `run` does. */
  async waitFor<Name extends CreatableTaskName>(
    terminalId: string,
    id: string,
    options?: RunOptions<Name>,
  ): Promise<DoneTask<Name>> {
    assertIds(terminalId, id);
    const readOne = (_: string, call: CallOptions) => this.get(terminalId, id, call);
    const source = {
      terminalId,
      read: async (signal: AbortSignal): Promise<Task> => {
        const task = await this.#batch.read(id, readOne, signal);
        // Found by its id alone: that of another terminal is refused as the route refuses it.
        return task.terminal_id === String(terminalId).toLowerCase() ? task : readOne(id, { signal, maxRetries: 0 });
      },
      cancel: () => this.cancel(terminalId, id),
      changes: this.changes,
    };
    return waitForTask<Name>(source, id, options ?? {});
  }

  /**
   * Creates the same task on up to 500 terminals, as `terminals.bulkTasks` does, and waits for all of them. A terminal on
   * which it fails is a result with an `error`, and ends nothing.
   * @returns results in the order of the terminals
   * @throws AbortedError when `signal` ends the waiting; the tasks go on, unless you say `cancelOnAbort`
   */
  async runOnMany<Name extends BulkTaskName>(
    type: Name,
    request: BulkRequest<Name>,
    options?: RunManyOptions<Name>,
  ): Promise<TerminalResult<Name>[]> {
    const { concurrency, onResult, waitMs, cancelOnAbort, ...calls } = options ?? {};
    assertConcurrency(concurrency);
    const created = await this.transport.data<BulkCreation[]>(toBulkCall(type, request, calls), 'list');
    const wait = (terminalId: string, id: string, signal: AbortSignal) =>
      this.waitFor<Name>(terminalId, id, { waitMs, cancelOnAbort, signal });
    return waitForMany<Name>(created, wait, { concurrency, onResult, signal: calls.signal });
  }

  /** One task. */
  get(terminalId: string, id: string, options?: CallOptions): ApiPromise<Task> {
    const call = () =>
      ({ method: 'GET', path: toPath`/v1/my/trading/terminals/${terminalId}/tasks/${id}`, options }) as const;
    return this.transport.json(call, 'object', ({ data }) => (data as { task: Task }).task);
  }

  /** Tasks of one terminal, newest first. */
  list(terminalId: string, query: TaskQuery = {}, options?: CallOptions): List<Task> {
    return new List((page) => this.page(terminalId, { ...query, ...page }, options));
  }

  /** One page of them. */
  page(terminalId: string, query: TaskQuery = {}, options?: CallOptions): ApiPromise<Page<Task>> {
    const call = () => {
      const path = toPath`/v1/my/trading/terminals/${terminalId}/tasks`;
      const asked = toTaskQuery(query);
      // Without either, this list comes without pages.
      const first = 'after' in asked ? {} : { page: 1 };
      return { method: 'GET', path, query: { ...first, ...asked }, options } as const;
    };
    return this.transport.json(call, 'page');
  }

  /** Tasks of all terminals, newest first. */
  ofAccount(query: AllTasksQuery = {}, options?: CallOptions): List<Task> {
    return new List((page) => this.pageOfAccount({ ...query, ...page }, options));
  }

  /** One page of them. */
  pageOfAccount(query: AllTasksQuery = {}, options?: CallOptions): ApiPromise<Page<Task>> {
    return this.transport.json(
      () => ({ method: 'GET', path: '/v1/my/tasks', query: toTaskQuery(query), options }),
      'page',
    );
  }

  /** Tasks by their ids, up to 100 at once, newest first; those that are not there (any more) are left out. */
  async byIds(ids: readonly string[], options?: CallOptions): Promise<Task[]> {
    // The server refuses to be asked for none.
    if (Array.isArray(ids) && ids.length === 0) return [];
    return this.transport.data(
      () => ({ method: 'GET', path: '/v1/my/tasks', query: { ids: ids.join() }, options }),
      'list',
    );
  }

  /** Every move of a task from status to status, oldest first. */
  history(terminalId: string, id: string, options?: CallOptions): ApiPromise<TaskMove[]> {
    return this.transport.data(
      () => ({ method: 'GET', path: toPath`/v1/my/trading/terminals/${terminalId}/tasks/${id}/history`, options }),
      'list',
    );
  }

  /** Cancels a task that no host has yet. @throws RefusedError where one has it, or it ended */
  cancel(terminalId: string, id: string, options?: CallOptions): ApiPromise<CreatedTask> {
    return this.transport.data(() => ({
      method: 'POST',
      path: toPath`/v1/my/trading/terminals/${terminalId}/tasks/${id}/cancel`,
      options,
    }));
  }
}
