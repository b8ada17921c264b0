import type { TerminalOverview } from '@berth/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { choices } from '../../data/terminal-choices.ts';
import { MAX_LISTED, toTerminalsQuery } from './list-query.ts';
import { toFilter, type TerminalsSearch } from './search.ts';

/** Measurements have no events; this is as often as a host measures. */
const MEASURED_EVERY_MS = 15_000;

/** One page of the list; the previous one stays visible until it is loaded. */
export const useTerminals = (asked: TerminalsSearch) =>
  useQuery({
    ...toTerminalsQuery(asked),
    placeholderData: keepPreviousData,
    refetchInterval: MEASURED_EVERY_MS,
  });

/** The number of terminals per status, among those that match the other filters; of all, as their choices are read. */
export const useCounts = (asked: TerminalsSearch) => {
  const chosen = toFilter(asked);
  const filter = Object.keys(chosen).length === 0 ? choices : chosen;
  return useQuery({
    queryKey: keys.terminals.counts(filter),
    queryFn: ({ signal }) => berth.terminals.counts(filter, { signal }),
    placeholderData: keepPreviousData,
  });
};

/** Requests of at most a hundred ids each, together. */
export const inHundreds = <Answer>(ids: readonly string[], read: (some: string[]) => Promise<Answer>) => {
  const starts = Array.from({ length: Math.ceil(ids.length / MAX_LISTED) }, (_, index) => index * MAX_LISTED);
  return Promise.all(starts.map((start) => read(ids.slice(start, start + MAX_LISTED))));
};

/** What is known of a terminal by its id: null where there is nothing, undefined while it is loading. */
export type Known<Value> = (id: string) => Value | null | undefined;

/** The last day of the terminals on the page. */
export const useOverviews = (ids: readonly string[]): Known<TerminalOverview> => {
  // Sorted: another order of the same terminals is no reason to reload.
  const sorted = useMemo(() => [...ids].sort(), [ids]);
  const { data, isPlaceholderData } = useQuery({
    queryKey: keys.terminals.overview(sorted),
    queryFn: ({ signal }) => inHundreds(sorted, (some) => berth.terminals.overview(some, { signal })),
    enabled: sorted.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: MEASURED_EVERY_MS,
  });
  return useMemo(() => {
    const byId = new Map(data?.flat().map((overview) => [overview.terminal_id, overview]));
    return (id) => byId.get(id) ?? (data && !isPlaceholderData ? null : undefined);
  }, [data, isPlaceholderData]);
};
