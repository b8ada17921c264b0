import { useNavigate, useSearch } from '@tanstack/react-router';
import { ListChecks, SearchX } from 'lucide-react';
import { useMemo } from 'react';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Failure } from '../../parts/failure.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { useCommands } from '../../data/commands.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { NeedsAttention } from './needs-attention.tsx';
import { statusGroupNames, toFilters } from './search.ts';
import { TaskFilters } from './task-filters.tsx';
import { TaskSheet } from './task-sheet.tsx';
import { TaskTabs } from './task-tabs.tsx';
import { TaskTable } from './task-table.tsx';
import { useTasks } from './tasks-data.ts';

const words = pageTexts.tasks;

const Nothing = ({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) => (
  <Sheet>
    {isFiltered ? (
      <EmptyState
        icon={<SearchX aria-hidden="true" />}
        title={words.noMatch}
        action={<Button onClick={onClear}>{words.clear}</Button>}
      >
        {words.noMatchText}
      </EmptyState>
    ) : (
      <EmptyState icon={<ListChecks aria-hidden="true" />} title={words.none}>
        {words.noneText}
      </EmptyState>
    )}
  </Sheet>
);

const useFilterCommands = (): void => {
  const navigate = useNavigate();
  const commands = useMemo(
    () => [
      { id: 'tasks.schedules', name: pageTexts.schedules.title, run: () => void navigate({ to: '/tasks/schedules' }) },
      ...statusGroupNames.map((status) => ({
        id: `tasks.${status}`,
        name: `${words.title}: ${words.groups[status]}`,
        run: () => void navigate({ to: '/tasks', search: { status } }),
      })),
    ],
    [navigate],
  );
  useCommands(commands);
};

export const TasksPage = () => {
  const search = useSearch({ from: '/in/tasks' });
  const navigate = useNavigate({ from: '/tasks' });
  const { data, error, refetch } = useTasks(search);
  useFilterCommands();
  const isFiltered = Object.keys(toFilters(search)).length > 0;
  const isEmpty = data?.data.length === 0;
  return (
    <>
      <PageHead title={words.title}>
        {data === undefined ? null : (
          <span className="figure text-ink-3">
            {words.total(data.pagination.total, data.pagination.is_total_exact !== false)}
          </span>
        )}
      </PageHead>
      <TaskTabs />
      <TaskFilters search={search} terminalName={data?.data[0]?.terminal_name} />
      <NeedsAttention isWanted={!isFiltered && search.page === undefined} />
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {isEmpty ? <Nothing isFiltered={isFiltered} onClear={() => void navigate({ search: {} })} /> : null}
      {isEmpty || (error !== null && data === undefined) ? null : (
        <Sheet>
          <TaskTable tasks={data?.data} />
        </Sheet>
      )}
      <Pager
        page={search.page ?? 1}
        lastPage={data?.pagination.last_page ?? 1}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
        of={
          data === undefined
            ? undefined
            : {
                total: data.pagination.total,
                isExact: data.pagination.is_total_exact !== false,
                perPage: data.pagination.per_page,
              }
        }
      />
      <TaskSheet
        task={search.task}
        terminal={search.of}
        onClose={() =>
          void navigate({ search: ({ task: _task, of: _of, ...rest }) => rest, replace: true, resetScroll: false })
        }
      />
    </>
  );
};
