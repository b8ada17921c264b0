import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Host } from '@berth/client';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';

const PER_PAGE = 24;
/** A host sends a heartbeat every 5 s, and no event reports it. */
const HEARD_EVERY_MS = 5_000;

export const useHosts = (page: number) => {
  const query = { page, per_page: PER_PAGE, include: 'details' as const };
  return useQuery({
    queryKey: keys.hosts.list(query),
    queryFn: ({ signal }) => berth.operator.hosts.page(query, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: HEARD_EVERY_MS,
  });
};

/** Users come and go without an event for operators. */
const COUNTED_EVERY_MS = 10_000;

export const useOverview = () =>
  useQuery({
    queryKey: keys.hosts.overview,
    queryFn: ({ signal }) => berth.operator.overview({ signal }),
    refetchInterval: COUNTED_EVERY_MS,
  });

const TERMINALS_PER_PAGE = 20;

/** Only operators' own terminals are reported by events. */
export const useHostTerminals = (id: string, page: number) => {
  const query = { page, per_page: TERMINALS_PER_PAGE };
  return useQuery({
    queryKey: keys.hosts.terminals(id, query),
    queryFn: ({ signal }) => berth.operator.hosts.terminals(id, query, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: HEARD_EVERY_MS,
  });
};

export const useRetire = (onDone: () => void) =>
  useAction({
    run: ({ id }: Host) => berth.operator.hosts.retire(id),
    done: (_id, { name }) => pageTexts.hosts.retired(isolate(name)),
    touches: () => [keys.hosts.all],
    onDone,
  });
