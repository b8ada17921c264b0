import { toPath } from '../http/transport.ts';
import { List, type Page } from '../list.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import { TaskType } from '../types.ts';
import type {
  AllTasksQuery,
  CreatableTaskName,
  CreatedTask,
  Task,
  TaskMove,
  TaskPayloads,
  TaskQuery,
} from '../types.ts';
import { waitForTask, type DoneTask, type RunOptions } from '../waiting/task.ts';
import { toTaskQuery } from './filters.ts';
import { toSaid, type Said } from './said.ts';
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
  /**
   * Creates a task, and does not wait for it. `warnings` says what to mind: another terminal that uses the same account.
   * @throws RefusedError where the terminal takes none
   */
  async create<Name extends CreatableTaskName>(
    terminalId: string,
    type: Name,
    ...[payload, options]: PayloadArguments<Name, TaskOptions>
  ): Promise<Said<CreatedTask>> {
    const path = toPath`/v1/my/trading/terminals/${terminalId}/tasks`;
    const body = { type: TaskType[type], payload, planned_at: options?.plannedAt };
    const query = { include: 'warnings' };
    return toSaid(await this.transport.json({ method: 'POST', post: 'keyed', path, query, body, options }, 'object'));
  }

  /**
   * Creates a task and waits for its end. Ending the waiting by `signal` does not end the task, unless you say
   * `cancelOnAbort`.
   * @throws TaskFailedError where it ends otherwise than COMPLETED
   */
  async run<Name extends CreatableTaskName>(
    terminalId: string,
    type: Name,
    ...[payload, options = {}]: PayloadArguments<Name, RunOptions<Name> & TaskOptions>
  ): Promise<DoneTask<Name>> {
    const { timeoutMs: _, ...calls } = options;
    const order = [payload, calls] as PayloadArguments<Name, TaskOptions>;
    const { id } = await this.create(terminalId, type, ...order);
    return this.waitFor<Name>(terminalId, id, options);
  }

  /** Waits for the end of a task that there is already, as `run` does. */
  waitFor<Name extends CreatableTaskName>(
    terminalId: string,
    id: string,
    options: RunOptions<Name> = {},
  ): Promise<DoneTask<Name>> {
    const source = {
      read: (call: CallOptions) => this.get(terminalId, id, call),
      cancel: () => this.cancel(terminalId, id),
      changes: this.changes,
    };
    return waitForTask<Name>(source, id, options);
  }

  /** One task. */
  async get(terminalId: string, id: string, options?: CallOptions): Promise<Task> {
    const path = toPath`/v1/my/trading/terminals/${terminalId}/tasks/${id}`;
    return (await this.transport.data<{ task: Task }>({ method: 'GET', path, options })).task;
  }

  /** Tasks of one terminal, newest first. */
  list(terminalId: string, query: TaskQuery = {}, options?: CallOptions): List<Task> {
    return new List((page) => this.page(terminalId, { ...query, ...page }, options));
  }

  /** One page of them. */
  async page(terminalId: string, query: TaskQuery = {}, options?: CallOptions): Promise<Page<Task>> {
    const path = toPath`/v1/my/trading/terminals/${terminalId}/tasks`;
    const asked = { page: 1, ...toTaskQuery(query) };
    return this.transport.json({ method: 'GET', path, query: asked, options }, 'page');
  }

  /** Tasks of all terminals, newest first. */
  ofAccount(query: AllTasksQuery = {}, options?: CallOptions): List<Task> {
    return new List((page) => this.pageOfAccount({ ...query, ...page }, options));
  }

  /** One page of them. */
  async pageOfAccount(query: AllTasksQuery = {}, options?: CallOptions): Promise<Page<Task>> {
    return this.transport.json({ method: 'GET', path: '/v1/my/tasks', query: toTaskQuery(query), options }, 'page');
  }

  /** Tasks by their ids, up to 100 at once, newest first; those that are not there (any more) are left out. */
  async byIds(ids: readonly string[], options?: CallOptions): Promise<Task[]> {
    if (ids.length === 0) return [];
    const query = { ids: ids.join() };
    return this.transport.data({ method: 'GET', path: '/v1/my/tasks', query, options }, 'list');
  }

  /** Every move of a task from status to status, oldest first. */
  history(terminalId: string, id: string, options?: CallOptions): Promise<TaskMove[]> {
    const path = toPath`/v1/my/trading/terminals/${terminalId}/tasks/${id}/history`;
    return this.transport.data({ method: 'GET', path, options }, 'list');
  }

  /** Cancels a task that no host has yet. @throws RefusedError where one has it, or it ended */
  cancel(terminalId: string, id: string, options?: CallOptions): Promise<CreatedTask> {
    const path = toPath`/v1/my/trading/terminals/${terminalId}/tasks/${id}/cancel`;
    return this.transport.data({ method: 'POST', path, options });
  }
}
