import {
  DEFAULT_PER_PAGE,
  type BoundedPagination,
  type CursorPagination,
  type PaginationWithTo,
} from '@berth/contract';
import { toBoundedTotal, type PageInput } from '../../db/page.ts';

/** A page of a list whose rows are of this type. */
export interface ListPage<Row> extends PageInput {
  /** The cursor of a row. */
  toCursor: (row: Row) => string;
}

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

const toPageUrl = (url: URL, page: number): string => {
  const link = new URL(url);
  link.searchParams.set('page', String(page));
  return link.href;
};

/** The pagination object of a list that is read by page, with absolute URLs that keep the other query parameters. */
const toPages = ({ page, per_page }: PageInput, total: number, count: number, url: URL): PaginationWithTo => {
  const lastPage = Math.max(1, Math.ceil(total / per_page));
  const toUrl = (target: number): string => toPageUrl(url, target);
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

const toCursors = <Row>({ per_page, toCursor }: ListPage<Row>, rows: readonly Row[]): CursorPagination => {
  const last = rows.at(-1);
  const isEnd = last === undefined || rows.length < per_page;
  return { per_page, next_cursor: isEnd ? null : toCursor(last) };
};

/**
 * The pagination object of a list that is documented to count all its rows.
 * @param total all rows that match; unused where the list is read by cursor
 * @param url the absolute URL of the request
 */
export const toPagination = <Row>(
  page: ListPage<Row>,
  total: number,
  rows: readonly Row[],
  url: URL,
): PaginationWithTo | CursorPagination => (page.after ? toCursors(page, rows) : toPages(page, total, rows.length, url));

/**
 * The pagination object of every other list, which is counted up to a bound. Its pages go on beyond that.
 * @param counted the rows that match, as far as they were counted
 */
export const toBoundedPagination = <Row>(
  page: ListPage<Row>,
  counted: number,
  rows: readonly Row[],
  url: URL,
): BoundedPagination | CursorPagination => {
  if (page.after) return toCursors(page, rows);
  const { total, is_total_exact } = toBoundedTotal(counted);
  const pages = toPages(page, total, rows.length, url);
  const isMore = !is_total_exact && rows.length === page.per_page;
  return { ...pages, next_page_url: isMore ? toPageUrl(url, page.page + 1) : pages.next_page_url, is_total_exact };
};
