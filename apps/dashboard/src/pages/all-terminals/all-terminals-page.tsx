import type { OperatorTerminal } from '@berth/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { SearchX, ShieldAlert, X } from 'lucide-react';
import { useCallback } from 'react';
import { useUser } from '../../data/session.ts';
import { Button } from '../../parts/button.tsx';
import { Chips } from '../../parts/chips.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Failure } from '../../parts/failure.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager } from '../../parts/pager.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
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

interface FiltersProps {
  asked: AllTerminalsSearch;
  first: OperatorTerminal | undefined;
  onChange: (change: Change) => void;
}

const Filters = ({ asked, first, onChange }: FiltersProps) => (
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
  </div>
);

const OperatorTerminals = () => {
  const asked = useSearch({ from: '/in/all-terminals' });
  const navigate = useNavigate({ from: '/all-terminals' });
  const { data, error, refetch } = useAllTerminals(asked);
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
  const isEmpty = data?.data.length === 0;
  const shown = data?.data.find(({ id }) => id === asked.why);
  return (
    <>
      <PageHead
        title={words.title}
        tools={<SearchField label={words.search} value={asked.search ?? ''} onSearch={onSearch} />}
      >
        {data === undefined ? null : (
          <span className="figure text-ink-3">
            {words.total(data.pagination.total, data.pagination.is_total_exact !== false)}
          </span>
        )}
      </PageHead>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      <Filters asked={asked} first={data?.data[0]} onChange={change} />
      <Sheet>
        {isEmpty ? (
          <EmptyState
            icon={<SearchX aria-hidden="true" />}
            title={words.noMatch}
            action={<Button onClick={() => void navigate({ search: {} })}>{words.clear}</Button>}
          >
            {words.noMatchText}
          </EmptyState>
        ) : error !== null && data === undefined ? null : (
          <AllTerminalsTable terminals={data?.data} onShow={show} />
        )}
      </Sheet>
      <Pager
        page={asked.page ?? 1}
        lastPage={data?.pagination.last_page ?? 1}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
      />
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

export const AllTerminalsPage = () => {
  const { is_operator: isOperator } = useUser();
  if (isOperator) return <OperatorTerminals />;
  return (
    <>
      <PageHead title={words.title} />
      <Sheet>
        <EmptyState icon={<ShieldAlert aria-hidden="true" />} title={words.onlyOperators}>
          {words.onlyOperatorsText}
        </EmptyState>
      </Sheet>
    </>
  );
};
