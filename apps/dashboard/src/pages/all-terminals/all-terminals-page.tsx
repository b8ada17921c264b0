import type { OperatorTerminal } from '@berth/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { MonitorCog, SearchX, X } from 'lucide-react';
import { useCallback } from 'react';
import { Button } from '../../parts/button.tsx';
import { Chips } from '../../parts/chips.tsx';
import { Failure } from '../../parts/failure.tsx';
import { PagedListing, Total } from '../../parts/listing.tsx';
import { forOperators } from '../../parts/operator-page.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Views } from '../../parts/views/views.tsx';
import { WhyView } from '../../parts/why/why-view.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { useAllTerminals, useAnyWhy } from './all-terminals-data.ts';
import { AllTerminalsTable } from './all-terminals-table.tsx';
import { statusGroupNames, toAllTerminalsSearch, type AllTerminalsSearch } from './search.ts';

const words = pageTexts.allTerminals;
type Change = { [Name in keyof AllTerminalsSearch]: AllTerminalsSearch[Name] | undefined };

const Why = ({ id }: { id: string }) => {
  const { data, error, refetch } = useAnyWhy(id);
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Skeleton className="h-40 w-full" /> : <WhyView why={data} />;
};

interface FilterChipProps {
  children: string;
  undo: string;
  onUndo: () => void;
}

const FilterChip = ({ children, undo, onUndo }: FilterChipProps) => (
  <button type="button" className="chip" aria-pressed="true" title={undo} onClick={onUndo}>
    {children}
    <X aria-hidden="true" size={14} />
    <span className="sr-only">{undo}</span>
  </button>
);

const toKept = (given: Record<string, unknown>): AllTerminalsSearch => {
  const { page: _page, why: _why, ...kept } = toAllTerminalsSearch(given);
  return kept;
};

interface FiltersProps {
  asked: AllTerminalsSearch;
  first: OperatorTerminal | undefined;
  onChange: (change: Change) => void;
  onShow: (given: Record<string, unknown>) => void;
}

const Filters = ({ asked, first, onChange, onShow }: FiltersProps) => (
  <div className="mb-3 flex flex-wrap items-center gap-2">
    <Chips
      label={words.status}
      values={[undefined, ...statusGroupNames]}
      chosen={asked.status}
      onChoose={(status) => onChange({ status })}
    >
      {(group) => words.groups[group ?? 'all']}
    </Chips>
    {asked.user === undefined ? null : (
      <FilterChip undo={words.everyUser} onUndo={() => onChange({ user: undefined })}>
        {words.ofUser(isolate(first?.user.name ?? words.one))}
      </FilterChip>
    )}
    {asked.host === undefined ? null : (
      <FilterChip undo={words.everyHost} onUndo={() => onChange({ host: undefined })}>
        {words.ofHost(isolate(first?.host?.name ?? words.one))}
      </FilterChip>
    )}
    <Views page="all_terminals" search={asked} toKept={toKept} onShow={onShow} />
  </div>
);

const OperatorTerminals = () => {
  const asked = useSearch({ from: '/in/all-terminals' });
  const navigate = useNavigate({ from: '/all-terminals' });
  const terminals = useAllTerminals(asked);
  /** Another filter begins on the first page. */
  const change = useCallback(
    (to: Change) =>
      void navigate({
        search: ({ page: _page, why: _why, ...old }) => toAllTerminalsSearch({ ...old, ...to }),
        replace: true,
      }),
    [navigate],
  );
  const onSearch = useCallback((search: string) => change({ search }), [change]);
  const show = ({ why, ...filter }: AllTerminalsSearch): void =>
    why === undefined ? change(filter) : void navigate({ search: (old) => ({ ...old, why }), resetScroll: false });
  const isFiltered = [asked.search, asked.status, asked.user, asked.host].some((value) => value !== undefined);
  const items = terminals.data?.data;
  const shown = items?.find(({ id }) => id === asked.why);
  return (
    <>
      <PageHead
        title={words.title}
        tools={<SearchField label={words.search} value={asked.search ?? ''} onSearch={onSearch} />}
      >
        <Total of={terminals.data} words={words.total} />
      </PageHead>
      <PagedListing
        reading={terminals}
        filters={
          <Filters
            asked={asked}
            first={items?.[0]}
            onChange={change}
            onShow={(given) => void navigate({ search: toKept(given) })}
          />
        }
        empty={
          isFiltered
            ? {
                icon: <SearchX aria-hidden="true" />,
                title: words.noMatch,
                children: words.noMatchText,
                action: <Button onClick={() => void navigate({ search: {} })}>{words.clear}</Button>,
              }
            : { icon: <MonitorCog aria-hidden="true" />, title: words.none, children: words.noneText }
        }
        page={asked.page}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
      >
        <AllTerminalsTable terminals={items} onShow={show} />
      </PagedListing>
      <SideSheet
        title={shown === undefined ? pageTexts.why.title : words.whyOf(isolate(shown.name))}
        isOpen={asked.why !== undefined}
        onClose={() => void navigate({ search: ({ why: _why, ...rest }) => rest, replace: true, resetScroll: false })}
      >
        {asked.why === undefined ? null : <Why id={asked.why} />}
      </SideSheet>
    </>
  );
};

export const AllTerminalsPage = forOperators(words, OperatorTerminals);
