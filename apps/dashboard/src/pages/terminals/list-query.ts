import type { TerminalQuery } from '@berth/client';
import { queryOptions } from '@tanstack/react-query';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { rowsPerPage } from './rows.ts';
import { isMoneySort, toSort, toWholeFilter, type TerminalsSearch } from './search.ts';

/** The most that the API lists at once. */
export const MAX_LISTED = 100;

/** One page of the list, of several of the API. What moves from one to the next in between is shown once. */
const readRows = async (query: TerminalQuery, page: number, rows: number, signal: AbortSignal) => {
  const size = Math.min(rows, MAX_LISTED);
  const count = rows / size;
  const numbers = Array.from({ length: count }, (_, index) => (page - 1) * count + index + 1);
  const pages = await Promise.all(
    numbers.map((number) => berth.terminals.page({ ...query, page: number, per_page: size }, { signal })),
  );
  const items = new Map(pages.flatMap(({ data }) => data).map((item) => [item.id, item]));
  return { data: [...items.values()], total: pages[0]?.pagination.total ?? 0 };
};

/**
 * One page of the list, as specified by its URL. In a file of its own, because it is requested before the page's code.
 */
export const toTerminalsQuery = (asked: TerminalsSearch) => {
  const { sort, direction } = toSort(asked);
  const query = {
    ...toWholeFilter(asked),
    include: 'details' as const,
    ...(isMoneySort(sort) ? {} : { sort_by: sort, sort_direction: direction }),
  };
  const { page = 1 } = asked;
  const rows = rowsPerPage.get();
  return queryOptions({
    queryKey: keys.terminals.list({ ...query, page, rows }),
    queryFn: ({ signal }) => readRows(query, page, rows, signal),
  });
};
