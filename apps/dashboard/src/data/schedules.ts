/** Schedules of the account: a hundred at most, so they are read whole. */
import { useQuery } from '@tanstack/react-query';
import { berth } from './berth.ts';
import { keys } from './keys.ts';

/** No event says that one has run, or was skipped. */
const READ_EVERY_MS = 15_000;

export const useSchedules = () =>
  useQuery({
    queryKey: keys.schedules,
    queryFn: ({ signal }) => berth.schedules.list({ signal }).toArray(),
    refetchInterval: READ_EVERY_MS,
  });
