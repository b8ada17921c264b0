import type { TerminalOverview } from '@berth/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { toTerminalsQuery } from './list-query.ts';
import { toFilter, type TerminalsSearch } from './search.ts';

/** Measurements have no events; this is as often as a host measures. */
const MEASURED_EVERY_MS = 15_000;
/** The capacity of regions depends on other users' terminals, for which there are no events. */
const CAPACITY_EVERY_MS = 30_000;

/** One page of the list; the previous one stays visible until it is loaded. */
export const useTerminals = (asked: TerminalsSearch) =>
  useQuery({
    ...toTerminalsQuery(asked),
    placeholderData: keepPreviousData,
    refetchInterval: MEASURED_EVERY_MS,
  });

/** The number of terminals per status, among those that match the other filters. */
export const useCounts = (asked: TerminalsSearch) => {
  const filter = toFilter(asked);
  return useQuery({
    queryKey: keys.terminals.counts(filter),
    queryFn: ({ signal }) => berth.terminals.counts(filter, { signal }),
    placeholderData: keepPreviousData,
  });
};

const none: ReadonlyMap<string, TerminalOverview> = new Map();

/** The last day of the terminals on the page, by id. */
export const useOverviews = (ids: readonly string[]): ReadonlyMap<string, TerminalOverview> => {
  // Sorted: another order of the same terminals is no reason to reload.
  const sorted = useMemo(() => [...ids].sort(), [ids]);
  const { data } = useQuery({
    queryKey: keys.terminals.overview(sorted),
    queryFn: ({ signal }) => berth.terminals.overview(sorted, { signal }),
    enabled: sorted.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: MEASURED_EVERY_MS,
  });
  return useMemo(() => (data ? new Map(data.map((overview) => [overview.terminal_id, overview])) : none), [data]);
};

/** The regions with their free slots. */
export const useCapacities = (isWanted = true) =>
  useQuery({
    queryKey: keys.capacities,
    queryFn: ({ signal }) => berth.regions.list({ include: 'capacity' }, { signal }).toArray(),
    refetchInterval: CAPACITY_EVERY_MS,
    enabled: isWanted,
  });
