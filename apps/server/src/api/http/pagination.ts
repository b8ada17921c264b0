import { DEFAULT_PER_PAGE, type CursorPagination, type PaginationWithTo } from '@berth/contract';
import type { PageInput } from '../../db/page.ts';
import type { ListPage } from './cursor.ts';

/** The page that a query asks for, with the defaults of the contract's schema filled in. */
export const toPageInput = ({
  page = 1,
  per_page = DEFAULT_PER_PAGE,
}: {
  page?: number;
  per_page?: number;
}): PageInput => ({
  page,
  per_page,
});

/** The pagination object of a list that is read by page, with absolute URLs that keep the other query parameters. */
const toPages = ({ page, per_page }: PageInput, total: number, count: number, url: URL): PaginationWithTo => {
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

/**
 * The pagination object of a list.
 * @param total all rows that match; unused where the list is read by cursor
 * @param url the absolute URL of the request
 */
export const toPagination = <Row>(
  page: ListPage<Row>,
  total: number,
  rows: readonly Row[],
  url: URL,
): PaginationWithTo | CursorPagination => {
  if (!page.after) return toPages(page, total, rows.length, url);
  const last = rows.at(-1);
  const isEnd = last === undefined || rows.length < page.per_page;
  return { per_page: page.per_page, next_cursor: isEnd ? null : page.toCursor(last) };
};
