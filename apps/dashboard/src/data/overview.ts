import { useQuery } from '@tanstack/react-query';
import { berth } from './berth.ts';
import { keys } from './keys.ts';
import { unreported } from './reading.ts';

/** Users come and go without an event for operators. */
const COUNTED_EVERY_MS = 10_000;

/** The whole installation, for operators. */
export const useOverview = () =>
  useQuery({
    queryKey: keys.hosts.overview,
    queryFn: ({ signal }) => berth.operator.overview({ signal }),
    ...unreported(COUNTED_EVERY_MS),
  });
