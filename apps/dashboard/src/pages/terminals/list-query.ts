import { queryOptions } from '@tanstack/react-query';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { isMoneySort, toSort, toWholeFilter, type TerminalsSearch } from './search.ts';

export const PER_PAGE = 50;

/**
 * One page of the list, as specified by its URL. In a file of its own, because it is requested before the page's code.
 */
export const toTerminalsQuery = (asked: TerminalsSearch) => {
  const { sort, direction } = toSort(asked);
  const query = {
    ...toWholeFilter(asked),
    page: asked.page ?? 1,
    per_page: PER_PAGE,
    include: 'details' as const,
    ...(isMoneySort(sort) ? {} : { sort_by: sort, sort_direction: direction }),
  };
  return queryOptions({
    queryKey: keys.terminals.list(query),
    queryFn: ({ signal }) => berth.terminals.page(query, { signal }),
  });
};
