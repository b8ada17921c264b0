/**
 * The effect of a task's end on its terminal is shown wherever the terminal is, at the same time as the end: nothing
 * contradicts it until the terminal is reloaded.
 */
import type { Task, Terminal, TerminalOverview } from '@berth/client';
import { isFinalTaskStatus, TaskType } from '@berth/contract/values';
import type { Query, QueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { readAnew } from './query-client.ts';
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

/** Shows the effect of the task in the cache, if it has ended. */
export const showEnd = (client: QueryClient, task: Task): void => {
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
