import { useNavigate, useSearch } from '@tanstack/react-router';
import { PowerOff } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { useRegions } from '../../data/regions.ts';
import { Banner } from '../../parts/banner.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager } from '../../parts/pager.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { useBeginRun } from '../../runs/requests.ts';
import { useCommands } from '../../shell/commands.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { useColumns } from './columns.ts';
import { ColumnsMenu } from './columns-menu.tsx';
import { SelectionDock } from './dock.tsx';
import { NoMatch, NoTerminal } from './empty-list.tsx';
import { Choices, StatusPills, useFilter } from './filters.tsx';
import { MAX_SORTED, useCurrentAccounts, useMoneySorted, useTotals } from './money-data.ts';
import { PER_PAGE } from './list-query.ts';
import { isFiltered, toSort, toSorted, type TerminalsSearch } from './search.ts';
import { useSelection, type Selection } from './selection.ts';
import { TerminalTable } from './terminal-table.tsx';
import { useCounts, useOverviews, useTerminals } from './terminals-data.ts';

const words = pageTexts.terminals;

const toPaged = ({ page: _, ...old }: TerminalsSearch, page: number): TerminalsSearch =>
  page > 1 ? { ...old, page } : old;

/** One page of the list, in the order that was asked for. */
const useList = (asked: TerminalsSearch) => {
  const plain = useTerminals(asked);
  const sorted = useMoneySorted(asked);
  const isSorted = sorted !== undefined && !sorted.isTooLong;
  return {
    terminals: isSorted ? sorted.terminals : plain.data?.data,
    total: plain.data?.pagination.total,
    lastPage: isSorted ? sorted.lastPage : (plain.data?.pagination.last_page ?? 1),
    isTooLong: sorted?.isTooLong ?? false,
    error: plain.error,
    refetch: plain.refetch,
  };
};

/** The table with its pages, or what is shown instead. */
const List = ({ asked, selection }: { asked: TerminalsSearch; selection: Selection }) => {
  const navigate = useNavigate({ from: '/terminals' });
  const { terminals, total, lastPage, isTooLong, error, refetch } = useList(asked);
  const columns = useColumns();
  const ids = useMemo(() => terminals?.map(({ id }) => id) ?? [], [terminals]);
  const overviews = useOverviews(ids);
  const accounts = useCurrentAccounts(ids);
  const totals = useTotals(asked, ids, lastPage === 1);
  const { data: regions = [] } = useRegions();
  const isBeyond = terminals !== undefined && terminals.length === 0 && (asked.page ?? 1) > lastPage;
  useEffect(() => {
    // The last page is now empty, or the link is old.
    if (isBeyond) void navigate({ search: (old) => toPaged(old, lastPage), replace: true });
  }, [isBeyond, lastPage, navigate]);
  if (error !== null && terminals === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  if (total === 0) {
    return isFiltered(asked) ? <NoMatch onClear={() => void navigate({ search: {} })} /> : <NoTerminal />;
  }
  return (
    <>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {isTooLong ? <Banner kind="news">{words.money.tooMany(MAX_SORTED)}</Banner> : null}
      <Sheet>
        <TerminalTable
          terminals={terminals}
          overviews={overviews}
          accounts={accounts}
          totals={totals}
          columns={columns}
          regions={regions}
          selection={selection}
          {...toSort(asked)}
          onSort={(column) => void navigate({ search: (old) => toSorted(old, column) })}
        />
      </Sheet>
      {totals.length > 0 ? <p className="field-note mt-3">{words.money.foot}</p> : null}
      <Pager
        page={asked.page ?? 1}
        lastPage={lastPage}
        of={total === undefined ? undefined : { total, perPage: PER_PAGE }}
        onPage={(next) => void navigate({ search: (old) => toPaged(old, next) })}
      />
    </>
  );
};

const Search = ({ value }: { value: string }) => {
  const filter = useFilter();
  const onSearch = useCallback((text: string) => filter({ search: text === '' ? undefined : text }, true), [filter]);
  return <SearchField label={words.search} hint={words.searchHint} value={value} onSearch={onSearch} />;
};

const CreateDialog = lazy(() =>
  import('./create/create-dialog.tsx').then(({ CreateDialog: component }) => ({ default: component })),
);

const CreateButton = () => {
  const navigate = useNavigate({ from: '/terminals' });
  const commands = useMemo(() => {
    const run = (): void => void navigate({ search: (old) => ({ ...old, create: true }) });
    return [{ id: 'terminals.create', name: words.create.open, words: 'new add', run }];
  }, [navigate]);
  useCommands(commands);
  return (
    <Button kind="primary" onClick={commands[0]?.run}>
      {words.create.open}
    </Button>
  );
};

const everywhere = pageTexts.terminals.everywhere;

/** Turns Algo Trading off on every terminal of the account, in two clicks. The server decides which ones these are. */
const EverywhereOff = () => {
  const [isOpen, setOpen] = useState(false);
  const { data: counts } = useCounts({});
  const begin = useBeginRun();
  const stop = (): void => {
    setOpen(false);
    begin({ type: 'OPTIONS_AUTO_TRADE', all: true, payload: { allow_algo_trading: 0 } });
  };
  const total = counts?.total ?? 0;
  const whyNot = counts?.total === 0 ? everywhere.nothing : undefined;
  const commands = useMemo(
    () => [{ id: 'terminals.off', name: everywhere.open, words: 'panic off', whyNot, run: () => setOpen(true) }],
    [whyNot],
  );
  useCommands(commands);
  return (
    <>
      <Button kind="danger" icon={<PowerOff />} whyNot={whyNot} onClick={() => setOpen(true)}>
        {everywhere.open}
      </Button>
      <Dialog
        title={everywhere.title}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        description={everywhere.text(total)}
        actions={
          <Button kind="destroy" onClick={stop}>
            {everywhere.confirm(total)}
          </Button>
        }
      >
        <p className="field-note">{everywhere.skipped}</p>
      </Dialog>
    </>
  );
};

const Tools = ({ asked }: { asked: TerminalsSearch }) => (
  <>
    <Search value={asked.search ?? ''} />
    <EverywhereOff />
    <CreateButton />
  </>
);

/** The list of terminals: its filters are in the URL. */
export const TerminalsPage = () => {
  const asked = useSearch({ from: '/in/terminals' });
  const selection = useSelection();
  return (
    <>
      <PageHead title={words.title} tools={<Tools asked={asked} />}>
        <StatusPills asked={asked} />
      </PageHead>
      <div className="page-head-rows">
        <Choices asked={asked} />
        <ColumnsMenu />
      </div>
      <List asked={asked} selection={selection} />
      {asked.create ? (
        <Suspense fallback={null}>
          <CreateDialog />
        </Suspense>
      ) : null}
      <SelectionDock asked={asked} selection={selection} />
    </>
  );
};
