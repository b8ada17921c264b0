import type { Task } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { isGone } from '../../data/query-client.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Failure } from '../../parts/failure.tsx';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { TaskStatusMark } from '../../parts/task-status.tsx';
import { Time } from '../../parts/time.tsx';
import { TimelineBar } from '../../parts/timeline/timeline-bar.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { TaskButton } from './task-buttons.tsx';
import { toDetail, toTerminalPath, toTitle } from './tasks-data.ts';

const words = pageTexts.tasks;
const { facts } = words;

export interface TaskSheetProps {
  /** Undefined: nothing is shown. */
  task: string | undefined;
  terminal: string | undefined;
  onClose: () => void;
}

const useTask = (terminal: string, task: string) =>
  useQuery({
    queryKey: keys.tasks.one(terminal, task),
    queryFn: ({ signal }) => berth.tasks.get(terminal, task, { signal }),
  });

const useHistory = (terminal: string, task: string) =>
  useQuery({
    queryKey: keys.tasks.history(terminal, task),
    queryFn: ({ signal }) => berth.tasks.history(terminal, task, { signal }),
  });

const Steps = ({ task }: { task: Task }) => {
  const steps: readonly Task['result']['runner_result'][number][] = task.result.runner_result;
  if (steps.length === 0) return <p className="text-ink-3">{words.noSteps}</p>;
  return (
    <ol className="task-steps">
      {steps.map(({ step, ok, code, message, at }, index) => (
        <li key={index} data-tone={ok ? 'good' : 'bad'}>
          <i className="shape" data-tone={ok ? 'good' : 'bad'} aria-hidden="true" />
          <div className="min-w-0">
            <p className="flex flex-wrap items-baseline justify-between gap-x-3">
              <b>
                <bdi>{pageTexts.taskWords.step(step)}</bdi>
              </b>
              <small>
                <Time at={at} as="moment" />
              </small>
            </p>
            {message === '' ? null : (
              <p className="step-text">
                <bdi>{message}</bdi>
              </p>
            )}
            {code === null ? null : (
              <p className="text-ink-2">
                <code>{code}</code> {pageTexts.taskWords.advice[code]}
              </p>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
};

const Facts = ({ task }: { task: Task }) => (
  <dl className="facts">
    <dt>{facts.status}</dt>
    <dd>
      <TaskStatusMark status={task.status} />
    </dd>
    <dt>{facts.created}</dt>
    <dd>
      <Time at={task.created_at} as="moment" />
    </dd>
    {task.planned_at === null ? null : (
      <>
        <dt>{facts.planned}</dt>
        <dd>
          <Time at={task.planned_at} as="moment" />
        </dd>
      </>
    )}
    <dt>{facts.attempts}</dt>
    <dd className="figure">{task.attempts}</dd>
    <dt>{facts.id}</dt>
    <dd className="figure text-ink-2">{task.id}</dd>
  </dl>
);

const Content = ({ task }: { task: Task }) => {
  const { data: moves } = useHistory(task.terminal_id, task.id);
  return (
    <>
      <TimelineBar task={task} moves={moves} />
      <Facts task={task} />
      <div className="side-foot">
        <TaskButton task={task} />
        <Link to={toTerminalPath(task)} className="button">
          {words.toTerminal}
        </Link>
        <Link to="/tasks" search={{ terminal: task.terminal_id }} className="button">
          {words.onlyThis}
        </Link>
      </div>
      <section className="grid gap-2">
        <h2>{words.steps}</h2>
        <Steps task={task} />
      </section>
      {Object.keys(task.payload).length === 0 ? null : (
        <section className="grid gap-2">
          <h2>{words.payload}</h2>
          <pre className="payload" tabIndex={0}>
            {JSON.stringify(task.payload, null, 2)}
          </pre>
        </section>
      )}
    </>
  );
};

const Reading = ({ task, terminal, onClose }: Record<'task' | 'terminal', string> & { onClose: () => void }) => {
  const { data, error, refetch } = useTask(terminal, task);
  const detail = data ? toDetail(data) : '';
  const title = data ? (
    <>
      {toTitle(data)} <bdi className="text-ink-2">{detail}</bdi>
    </>
  ) : (
    words.details
  );
  return (
    <SideSheet title={title} isOpen onClose={onClose}>
      {isGone(error) ? <EmptyState title={words.gone}>{words.goneText}</EmptyState> : null}
      {error === null || isGone(error) ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null ? (
          <Skeleton className="h-64 w-full" />
        ) : null
      ) : isGone(error) ? null : (
        <Content task={data} />
      )}
    </SideSheet>
  );
};

/** One task in full, at the side of the list. */
export const TaskSheet = ({ task, terminal, onClose }: TaskSheetProps) =>
  task === undefined || terminal === undefined ? null : (
    <Reading key={task} task={task} terminal={terminal} onClose={onClose} />
  );
