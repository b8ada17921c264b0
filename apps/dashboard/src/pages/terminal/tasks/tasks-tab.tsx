import { ListChecks, SearchX } from 'lucide-react';
import { Button } from '../../../parts/button.tsx';
import { Chips } from '../../../parts/chips.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Pager } from '../../../parts/pager.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useAddress } from '../address.ts';
import { taskFilters } from '../search.ts';
import { useTasks } from '../terminal-data.ts';
import { TaskDialog } from './task-dialog.tsx';
import { TaskRow } from './task-row.tsx';

const words = pageTexts.terminalTasks;

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

/** The terminal's tasks, newest first, each as a line of its steps. */
export const TasksTab = ({ terminalId }: { terminalId: string }) => {
  const { search, change } = useAddress();
  return (
    <>
      <div className="mb-3">
        <Chips
          label={words.filterLabel}
          values={[undefined, ...taskFilters]}
          chosen={search.filter}
          onChoose={(filter) => change({ filter, page: undefined }, { replace: true })}
        >
          {(filter) => words.filters[filter ?? 'all']}
        </Chips>
      </div>
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
