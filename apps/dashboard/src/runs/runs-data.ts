/** The runs of the account, as the server has them: every tab and every browser shows the same. */
import { followRun, type BulkRun } from '@berth/client';
import { keepPreviousData, queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { berth } from '../data/berth.ts';
import { keys } from '../data/keys.ts';
import { readAnew } from '../data/query-client.ts';
import { toNewer } from './run.ts';

/** An account has ten open runs at most. */
const PER_PAGE = 20;
const ITEMS_PER_PAGE = 100;
/** Each change of a run is another key of its items. */
const KEEP_ITEMS_MS = 10_000;

const runsQuery = queryOptions({
  queryKey: keys.bulkRuns.list,
  queryFn: async ({ signal, client }): Promise<BulkRun[]> => {
    const { data } = await berth.bulkRuns.page({ per_page: PER_PAGE }, { signal });
    const known = client.getQueryData<BulkRun[]>(keys.bulkRuns.list) ?? [];
    return data.map((run) =>
      toNewer(
        known.find(({ id }) => id === run.id),
        run,
      ),
    );
  },
});

/** The newest first. */
export const useRuns = (): readonly BulkRun[] => useQuery(runsQuery).data ?? [];

/** One of these runs, or an older one, which is read. */
export const useRun = (runs: readonly BulkRun[], id: string | undefined): BulkRun | undefined => {
  const known = runs.find((run) => run.id === id);
  const { data } = useQuery({
    queryKey: keys.bulkRuns.one(id ?? ''),
    queryFn: ({ signal }) => berth.bulkRuns.get(id ?? '', { signal }),
    enabled: id !== undefined && !known,
  });
  return known ?? (id === undefined ? undefined : data);
};

/** Puts a run into the cache. */
export const showRun = (client: QueryClient, run: BulkRun): void => {
  client.setQueryData<BulkRun[]>(keys.bulkRuns.list, (runs = []) => {
    const isKnown = runs.some(({ id }) => id === run.id);
    return isKnown ? runs.map((old) => (old.id === run.id ? toNewer(old, run) : old)) : [run, ...runs];
  });
};

/** Dismisses an ended run, here and at the server. */
export const dismissRun = (client: QueryClient, id: string): void => {
  client.setQueryData<BulkRun[]>(keys.bulkRuns.list, (runs = []) => runs.filter((run) => run.id !== id));
  // The list will show whether it still exists.
  void berth.bulkRuns
    .dismiss(id)
    .catch(() => undefined)
    .then(() => readAnew(client, keys.bulkRuns.list));
};

/** Keeps one run up to date, as long as it is open. */
export const useFollowing = (id: string): void => {
  const client = useQueryClient();
  useEffect(() => {
    const stop = new AbortController();
    const follow = async (): Promise<void> => {
      for await (const run of followRun(berth, id, { signal: stop.signal })) showRun(client, run);
    };
    // It was dismissed, or the session is over: the list shows which.
    follow().catch(() => readAnew(client, keys.bulkRuns.list));
    return () => stop.abort();
  }, [client, id]);
};

/** The outcome of a run on each terminal, one page of it. */
export const useItems = (run: BulkRun, page: number) => {
  const { id, pending, in_progress: inProgress, finished_at: finishedAt } = run;
  return useQuery({
    queryKey: keys.bulkRuns.items(id, { page, pending, inProgress, finishedAt }),
    queryFn: ({ signal }) => berth.bulkRuns.itemsPage(id, { page, per_page: ITEMS_PER_PAGE }, { signal }),
    placeholderData: keepPreviousData,
    gcTime: KEEP_ITEMS_MS,
  });
};
