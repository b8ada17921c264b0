import type { Task } from '@berth/client';
import { isFinalTaskStatus, TaskStatus } from '@berth/contract/values';
import { ListChecks, SearchX } from 'lucide-react';
import { Button } from '../../../parts/button.tsx';
import { Chips } from '../../../parts/chips.tsx';
import { useNow } from '../../../parts/clock.ts';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Pager } from '../../../parts/pager.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { toFailure, toSubject, toTitle } from '../../../parts/task/task-facts.ts';
import { TaskStatusMark } from '../../../parts/task/task-status.tsx';
import { Time } from '../../../parts/time.tsx';
import { ZoneNote } from '../../../parts/zone.tsx';
import { TimelineBar, toLength } from '../../../parts/timeline/timeline-bar.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useAddress } from '../address.ts';
import { taskFilters } from '../search.ts';
import { useTasks } from '../terminal-data.ts';
import { TaskDialog } from './task-dialog.tsx';

const words = pageTexts.terminalTasks;

/** How long it took, or has taken so far. */
const Worked = ({ task }: { task: Task }) => {
  const isOpen = !isFinalTaskStatus(task.status);
  const now = useNow(isOpen ? 1_000 : 60_000);
  const from = (task.started_at ?? task.delivered_at ?? 0) * 1000;
  if (from === 0) return null;
  const to = isOpen ? now : Date.parse(task.updated_at);
  return <>{toLength(Math.max(0, to - from))} · </>;
};

/** A task in one line; a failed one shows why, and what to do. */
const TaskRow = ({ task, onOpen }: { task: Task; onOpen: () => void }) => {
  const subject = toSubject(task);
  const failure = toFailure(task);
  return (
    <li className="task" data-open={task.status === TaskStatus.RUNNING ? '' : undefined}>
      <button type="button" className="task-name" onClick={onOpen}>
        <b>{toTitle(task)}</b>
        {subject === undefined ? null : <bdi className="clip">{subject}</bdi>}
        <span className="sr-only">{words.open}</span>
      </button>
      <TaskStatusMark status={task.status} />
      <TimelineBar task={task} />
      <span className="when">
        <Worked task={task} />
        <Time at={task.created_at} as="moment" />
      </span>
      {failure === undefined ? null : (
        <p className="clamp">
          <bdi>{failure.message}</bdi> {failure.advice}
        </p>
      )}
    </li>
  );
};

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
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <Chips
          label={words.filterLabel}
          values={[undefined, ...taskFilters]}
          chosen={search.filter}
          onChoose={(filter) => change({ filter, page: undefined }, { replace: true })}
        >
          {(filter) => words.filters[filter ?? 'all']}
        </Chips>
        <ZoneNote />
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
