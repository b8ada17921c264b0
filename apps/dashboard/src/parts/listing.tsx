import type { ReactNode } from 'react';
import { EmptyState, type EmptyStateProps } from './empty-state.tsx';
import { Failure } from './failure.tsx';
import { Pager, type PagerProps } from './pager.tsx';
import { Sheet } from './surfaces.tsx';

interface Page {
  data: readonly unknown[];
  pagination: { total: number; last_page: number; per_page: number; is_total_exact?: boolean };
}

export interface ListingProps<Read> {
  reading: { data: Read | undefined; error: Error | null; refetch: () => Promise<unknown> };
  /** What is said where there is nothing; undefined: there is always something. */
  empty?: EmptyStateProps;
  /** true: what is listed has surfaces of its own. */
  isBare?: boolean;
  /** Between a failure and the list. */
  filters?: ReactNode;
  children: ReactNode;
}

/** A list in a sheet: as it is read, where that failed, and where there is nothing. */
export const Listing = <Read extends readonly unknown[] | { data: readonly unknown[] }>(props: ListingProps<Read>) => {
  const { reading, empty, isBare = false, filters, children } = props;
  const { data, error, refetch } = reading;
  const items: readonly unknown[] | undefined = data && ('data' in data ? data.data : data);
  const isEmpty = empty !== undefined && items?.length === 0;
  const shown = isEmpty ? <EmptyState {...empty} /> : children;
  return (
    <>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {filters}
      {error !== null && data === undefined ? null : isBare && !isEmpty ? shown : <Sheet>{shown}</Sheet>}
    </>
  );
};

/** One with numbered pages. */
export const PagedListing = ({
  page = 1,
  onPage,
  ...props
}: ListingProps<Page> & Pick<PagerProps, 'onPage'> & { page: number | undefined }) => (
  <>
    <Listing {...props} />
    <Pager page={page} lastPage={props.reading.data?.pagination.last_page ?? 1} onPage={onPage} />
  </>
);

/** How many there are in all, beside the title. */
export const Total = ({
  of: page,
  words,
}: {
  of: Page | undefined;
  words: (total: number, isExact: boolean) => string;
}) =>
  page === undefined ? null : (
    <span className="figure text-ink-3">{words(page.pagination.total, page.pagination.is_total_exact !== false)}</span>
  );
