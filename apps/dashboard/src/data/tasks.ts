/** One task: read with its history; and creating a new one. */
import type {
  CreatableTaskName,
  CreatedTask,
  WithWarnings,
  Task,
  TaskPayloads,
  Terminal,
  TerminalOverview,
} from '@berth/client';
import { isFinalTaskStatus, TaskType } from '@berth/contract/values';
import { useQuery, type Query, type QueryClient } from '@tanstack/react-query';
import { berth } from './berth.ts';
import { keys } from './keys.ts';
import { isGone, readAnew } from './query-client.ts';
import { serverNow } from './server-clock.ts';

/** An answer that is hardly newer than the end may have started before it. */
const READING_MS = 1_000;

type Trading = Pick<Terminal, 'trading_allowed' | 'trading_reason'>;

const findTrading = ({ type, status, result }: Task): Trading | undefined => {
  if (type !== TaskType.OPTIONS_AUTO_TRADE || !isFinalTaskStatus(status)) return undefined;
  const { trading_allowed: isAllowed, trading_reason: reason = null } = (result.runner_result.at(-1)?.data ??
    {}) as Partial<Trading>;
  return isAllowed === undefined ? undefined : { trading_allowed: isAllowed, trading_reason: reason };
};

/** A later read includes the end, and perhaps what came after it. */
const isOlder = ({ state }: Query, endedAt: number): boolean =>
  state.dataUpdatedAt + (serverNow() - Date.now()) < endedAt + READING_MS;

/**
 * The effect of a task's end on its terminal is shown wherever the terminal is, at the same time as the end: nothing
 * contradicts it until the terminal is reloaded.
 */
const showEnd = (client: QueryClient, task: Task): void => {
  const trading = findTrading(task);
  if (!trading) return;
  const endedAt = Date.parse(task.updated_at);
  const show = <Data>(query: Query, change: (data: Data) => Data): void => {
    const data = query.state.data as Data | undefined;
    if (data === undefined || !isOlder(query, endedAt)) return;
    client.setQueryData(query.queryKey, change(data), { updatedAt: query.state.dataUpdatedAt });
    // Its answer may be from before.
    if (query.state.fetchStatus === 'fetching') readAnew(client, query.queryKey);
  };
  const cache = client.getQueryCache();
  const one = cache.find({ queryKey: keys.terminals.one(task.terminal_id), exact: true });
  if (one) show<Terminal>(one, (terminal) => ({ ...terminal, ...trading }));
  for (const query of cache.findAll({ queryKey: keys.terminals.overviews })) {
    show<TerminalOverview[]>(query, (overviews) =>
      overviews.map((overview) =>
        overview.terminal_id === task.terminal_id
          ? { ...overview, trading_allowed: trading.trading_allowed ?? null }
          : overview,
      ),
    );
  }
};

/** Between two tries for a task that could not be read. */
const AGAIN_MS = 3_000;

/** @param id undefined: there is none to read yet */
export const useTask = (terminalId: string, id: string | undefined) =>
  useQuery({
    queryKey: keys.tasks.one(terminalId, id ?? ''),
    queryFn: async ({ signal, client }) => {
      const task = await berth.tasks.get(terminalId, id ?? '', { signal });
      showEnd(client, task);
      return task;
    },
    enabled: id !== undefined,
    // If the first request failed after the last event, its end would never be seen.
    refetchInterval: ({ state: { error } }) => (error === null || isGone(error) ? false : AGAIN_MS),
  });

/** The task's status history. */
export const useHistory = (terminalId: string, id: string) =>
  useQuery({
    queryKey: keys.tasks.history(terminalId, id),
    queryFn: ({ signal }) => berth.tasks.history(terminalId, id, { signal }),
  });

/** A type with its payload. */
export type TaskRequest = {
  [Name in CreatableTaskName]: { type: Name; payload?: TaskPayloads[Name] };
}[CreatableTaskName];

type Create = (terminalId: string, type: CreatableTaskName, payload?: object) => Promise<WithWarnings<CreatedTask>>;

/** `TaskRequest` ensures that type and payload match; the client's own signature takes one type at a time. */
export const createTask = (terminalId: string, { type, payload }: TaskRequest): Promise<WithWarnings<CreatedTask>> =>
  (berth.tasks.create.bind(berth.tasks) as Create)(terminalId, type, payload);
