import { useNavigate } from '@tanstack/react-router';
import { Suspense, useEffect, useMemo } from 'react';
import { useRegions } from '../../data/regions.ts';
import { Banner } from '../../parts/banner.tsx';
import { Failure } from '../../parts/failure.tsx';
import { later } from '../../parts/later.tsx';
import { Pager } from '../../parts/pager.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { toShown, useColumns } from './columns.ts';
import { useFilter } from './filters.tsx';
import { MAX_SORTED, useCurrentAccounts, useMoneySorted, useTotals } from './money-data.ts';
import { rowChoices, rowsPerPage } from './rows.ts';
import { isFiltered, toNextOrder, toSort, type TerminalsSearch } from './search.ts';
import type { Selection } from './selection.ts';
import { TerminalTable } from './terminal-table.tsx';
import { useOverviews, useTerminals } from './terminals-data.ts';

const words = pageTexts.terminals;

const toPaged = ({ page: _, ...old }: TerminalsSearch, page: number): TerminalsSearch =>
  page > 1 ? { ...old, page } : old;

/** One page of the list, in the order that was asked for. */
const useList = (asked: TerminalsSearch) => {
  const rows = rowsPerPage.use();
  const { data, error, refetch } = useTerminals(asked);
  const sorted = useMoneySorted(asked);
  const isSorted = sorted !== undefined && !sorted.isTooLong;
  const total = data?.total;
  return {
    terminals: isSorted ? sorted.terminals : data?.data,
    total,
    rows,
    lastPage: Math.max(1, Math.ceil((total ?? 0) / rows)),
    isTooLong: sorted?.isTooLong ?? false,
    error,
    refetch,
  };
};

/** The pages of the list, and how many terminals each has. The first terminal of the page stays on the page. */
const Pages = ({ page, total, rows }: { page: number; total: number; rows: number }) => {
  const navigate = useNavigate({ from: '/terminals' });
  const turnTo = (next: number): void => void navigate({ search: (old) => toPaged(old, next) });
  const choose = (next: number): void => {
    rowsPerPage.set(rowChoices.find((one) => one === next));
    turnTo(Math.floor(((page - 1) * rows) / next) + 1);
  };
  return (
    <Pager
      page={page}
      lastPage={Math.max(1, Math.ceil(total / rows))}
      of={{ total, perPage: rows, choices: rowChoices, onChoose: choose }}
      onPage={turnTo}
    />
  );
};

const loadEmpty = () => import('./empty-list.tsx');
const NoTerminal = later(async () => (await loadEmpty()).NoTerminal);
const NoMatch = later(async () => (await loadEmpty()).NoMatch);

/** The table with its pages, or what is shown instead. */
export const TerminalList = ({ asked, selection }: { asked: TerminalsSearch; selection: Selection }) => {
  const navigate = useNavigate({ from: '/terminals' });
  const { terminals, total, rows, lastPage, isTooLong, error, refetch } = useList(asked);
  const filter = useFilter();
  const chosen = useColumns();
  const ids = useMemo(() => terminals?.map(({ id }) => id) ?? [], [terminals]);
  const overviews = useOverviews(ids);
  const accounts = useCurrentAccounts(ids);
  const totals = useTotals(asked, ids, lastPage === 1);
  const { data: regions = [] } = useRegions();
  const hasScreenshots = terminals?.some(({ screenshot }) => screenshot) ?? false;
  const hasAccounts = accounts.hasAny;
  const shown = useMemo(() => toShown(chosen, { hasScreenshots, hasAccounts }), [chosen, hasScreenshots, hasAccounts]);
  const isBeyond = terminals !== undefined && terminals.length === 0 && (asked.page ?? 1) > lastPage;
  useEffect(() => {
    // The last page is now empty, or the link is old.
    if (isBeyond) void navigate({ search: (old) => toPaged(old, lastPage), replace: true });
  }, [isBeyond, lastPage, navigate]);
  if (error !== null && terminals === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  if (total === 0) {
    return (
      <Suspense fallback={null}>
        {isFiltered(asked) ? <NoMatch onClear={() => void navigate({ search: {} })} /> : <NoTerminal />}
      </Suspense>
    );
  }
  return (
    <>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {isTooLong ? <Banner kind="news">{words.money.tooMany(MAX_SORTED)}</Banner> : null}
      <TerminalTable
        terminals={terminals}
        overviews={overviews}
        accounts={accounts.of}
        totals={totals}
        regions={regions}
        selection={selection}
        {...shown}
        {...toSort(asked)}
        onSort={(column) => filter(toNextOrder(asked, column))}
      />
      {totals.length > 0 ? <p className="field-note mt-3">{words.money.foot}</p> : null}
      {total === undefined ? null : <Pages page={asked.page ?? 1} total={total} rows={rows} />}
    </>
  );
};
