import { useQuery } from '@tanstack/react-query';
import { berth } from './berth.ts';
import { keys } from './keys.ts';

/** Regions hardly ever change. */
export const useRegions = () =>
  useQuery({
    queryKey: keys.regions,
    queryFn: ({ signal }) => berth.regions.list({}, { signal }).toArray(),
    staleTime: 10 * 60_000,
  });
