import { DEFAULT_PER_PAGE, type PaginationWithTo } from '@berth/contract';
import type { PageInput } from '../../db/page.ts';

/** The page that a query asks for: the contract's schema has filled in what it left out. */
export const toPageInput = ({ page = 1, per_page = DEFAULT_PER_PAGE }: Partial<PageInput>): PageInput => ({
  page,
  per_page,
});

/**
 * The pagination object of a list, with absolute URLs that keep the other query parameters.
 * @param url the absolute URL of the request
 */
export const toPagination = (
  { page, per_page }: PageInput,
  total: number,
  count: number,
  url: URL,
): PaginationWithTo => {
  const lastPage = Math.max(1, Math.ceil(total / per_page));
  const toUrl = (target: number) => {
    const link = new URL(url);
    link.searchParams.set('page', String(target));
    return link.href;
  };
  const from = count > 0 ? (page - 1) * per_page + 1 : null;
  return {
    current_page: page,
    last_page: lastPage,
    per_page,
    total,
    first_page_url: toUrl(1),
    last_page_url: toUrl(lastPage),
    next_page_url: page < lastPage ? toUrl(page + 1) : null,
    prev_page_url: page > 1 ? toUrl(page - 1) : null,
    from,
    to: from === null ? null : from + count - 1,
  };
};
