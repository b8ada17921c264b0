import { ListChecks, SearchX } from 'lucide-react';
import { Button } from '../../../parts/button.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Pager } from '../../../parts/pager.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useAddress } from '../address.ts';
import { taskFilters, type TaskFilter } from '../search.ts';
import { useTasks } from '../terminal-data.ts';
import { TaskDialog } from './task-dialog.tsx';
import { TaskRow } from './task-row.tsx';

const words = pageTexts.terminalTasks;

interface FiltersProps {
  chosen: TaskFilter | undefined;
  onChoose: (filter: TaskFilter | undefined) => void;
}

const Filters = ({ chosen, onChoose }: FiltersProps) => (
  <div className="chips mb-3" role="group" aria-label={words.filterLabel}>
    {([undefined, ...taskFilters] as const).map((filter) => (
      <button
        key={filter ?? 'all'}
        type="button"
        className="chip"
        aria-pressed={filter === chosen}
        onClick={() => onChoose(filter)}
      >
        {words.filters[filter ?? 'all']}
      </button>
    ))}
  </div>
);

const Rows = ({ terminalId }: { terminalId: string }) => {
  const { search, change } = useAddress();
  const { filter, page = 1 } = search;
  const { data, error, refetch } = useTasks(terminalId, { page, filter });
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton className="h-60 w-full" />;
  if (data.data.length === 0) {
    const isAll = filter === undefined && page === 1;
    const clear = (): void => change({ filter: undefined, page: undefined }, { replace: true });
    return (
      <Card>
        <EmptyState
          icon={isAll ? <ListChecks aria-hidden="true" /> : <SearchX aria-hidden="true" />}
          title={isAll ? words.empty : words.noMatch}
          action={isAll ? undefined : <Button onClick={clear}>{words.showAll}</Button>}
        >
          {isAll ? words.emptyText : words.noMatchText}
        </EmptyState>
      </Card>
    );
  }
  return (
    <>
      <Card className="task-list">
        <ul>
          {data.data.map((task) => (
            <TaskRow key={task.id} task={task} onOpen={() => change({ task: task.id })} />
          ))}
        </ul>
      </Card>
      <Pager page={page} lastPage={data.pagination.last_page} onPage={(next) => change({ page: next })} />
    </>
  );
};

/** What was done with the terminal, newest first, each task as a line of its steps. */
export const TasksTab = ({ terminalId }: { terminalId: string }) => {
  const { search, change } = useAddress();
  return (
    <>
      <Filters chosen={search.filter} onChoose={(filter) => change({ filter, page: undefined }, { replace: true })} />
      <Rows terminalId={terminalId} />
      {search.task === undefined ? null : (
        <TaskDialog
          key={search.task}
          terminalId={terminalId}
          id={search.task}
          onClose={() => change({ task: undefined })}
        />
      )}
    </>
  );
};
