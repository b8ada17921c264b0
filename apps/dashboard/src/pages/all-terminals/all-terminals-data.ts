import { useQuery } from '@tanstack/react-query';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { unreported, useReading } from '../../data/reading.ts';
import { statusGroups, type AllTerminalsSearch } from './search.ts';

const PER_PAGE = 50;
/** Terminals of others have no events for operators. */
const READ_EVERY_MS = 5_000;

export const useAllTerminals = ({ page = 1, search, status, user, host }: AllTerminalsSearch) => {
  const query = {
    page,
    per_page: PER_PAGE,
    ...(search === undefined ? {} : { search }),
    ...(status === undefined ? {} : { status: statusGroups[status] }),
    ...(user === undefined ? {} : { user_id: user }),
    ...(host === undefined ? {} : { host_id: host }),
  };
  return useReading(
    keys.allTerminals.list(query),
    (request) => berth.operator.terminals.page(query, request),
    READ_EVERY_MS,
  );
};

export const useAnyWhy = (id: string) =>
  useQuery({
    queryKey: keys.allTerminals.why(id),
    queryFn: ({ signal }) => berth.operator.terminals.why(id, { signal }),
    ...unreported(READ_EVERY_MS),
  });
