import { useQuery } from '@tanstack/react-query';
import { berth } from './berth.ts';
import { keys } from './keys.ts';
import { unreported } from './reading.ts';

/** Regions hardly ever change. */
export const useRegions = () =>
  useQuery({
    queryKey: keys.regions,
    queryFn: ({ signal }) => berth.regions.list({}, { signal }).toArray(),
    staleTime: 10 * 60_000,
  });

/** The capacity of regions depends on other users' terminals, for which there are no events. */
const CAPACITY_EVERY_MS = 30_000;

/** The regions with their free slots. */
export const useCapacities = (isWanted = true) =>
  useQuery({
    queryKey: keys.capacities,
    queryFn: ({ signal }) => berth.regions.list({ include: 'capacity' }, { signal }).toArray(),
    ...unreported(CAPACITY_EVERY_MS),
    enabled: isWanted,
  });
