import { keepPreviousData, useQuery, type QueryKey } from '@tanstack/react-query';

/** For what no event reports: read again while it is shown, and whenever it is opened. */
export const unreported = (everyMs: number) => ({ refetchInterval: everyMs, staleTime: 0 });

/**
 * Something that is read in parts: what was read last stays visible until the next part is here.
 *
 * @param everyMs how often it is read again; without it, when events say that it has changed
 */
export const useReading = <Read>(
  queryKey: QueryKey,
  read: (request: { signal: AbortSignal }) => Promise<Read>,
  everyMs: number | false = false,
) =>
  useQuery({
    queryKey,
    queryFn: ({ signal }) => read({ signal }),
    placeholderData: keepPreviousData,
    ...(everyMs === false ? {} : unreported(everyMs)),
  });
