import { toTaskStatusName } from '@berth/contract/values';
import type { Task, TaskMove, TaskStep } from '@berth/client';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toFileAddress } from '../../data/address.ts';
import { isGone } from '../../data/query-client.ts';
import { useHistory } from '../../data/tasks.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { EmptyState } from '../empty-state.tsx';
import { Failure } from '../failure.tsx';
import { Skeleton } from '../skeleton.tsx';
import { Shape } from '../status-mark.tsx';
import { Time } from '../time.tsx';
import { TimelineBar } from '../timeline/timeline-bar.tsx';
import { toFailure } from './task-facts.ts';
import { TaskStatusMark } from './task-status.tsx';

const taskWords = pageTexts.taskWords;
const words = pageTexts.task;

/** As many log lines as fit here; the Logs tab has all. */
const MAX_LINES = 30;
const MAX_TEXT = 4_000;

const toJson = (value: unknown): string => {
  const text = JSON.stringify(
    value,
    (_key, part: unknown) =>
      Array.isArray(part) && part.length > MAX_LINES ? [...(part as unknown[]).slice(0, MAX_LINES), '…'] : part,
    2,
  );
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
};

const Json = ({ children }: { children: object }) => (
  <pre className="json" dir="ltr" tabIndex={0}>
    {toJson(children)}
  </pre>
);

const findFile = (data: object): string | undefined => {
  const { file } = data as { file?: { id?: unknown } };
  return typeof file?.id === 'string' ? file.id : undefined;
};

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

const Facts = ({ task }: { task: Task }) => (
  <dl className="facts">
    <Fact name={words.facts.status}>
      <TaskStatusMark status={task.status} />
    </Fact>
    <Fact name={words.facts.created}>
      <Time at={task.created_at} as="exact" />
    </Fact>
    {task.planned_at === null ? null : (
      <Fact name={words.facts.planned}>
        <Time at={task.planned_at} as="exact" />
      </Fact>
    )}
    <Fact name={words.facts.attempts}>
      <span className="figure">{task.attempts}</span>
    </Fact>
    <Fact name={words.facts.id}>
      <span className="figure text-ink-2">{task.id}</span>
    </Fact>
  </dl>
);

const Why = ({ task }: { task: Task }) => {
  const failure = toFailure(task);
  if (failure === undefined) return null;
  return (
    <p className="task-failure">
      {failure.code === null ? null : <code className="figure">{failure.code}</code>} <bdi>{failure.message}</bdi>{' '}
      <b>{failure.advice}</b>
    </p>
  );
};

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="grid gap-2">
    <h2>{title}</h2>
    {children}
  </section>
);

const StepLine = ({ step: { step, ok, code, message, at, data } }: { step: TaskStep }) => {
  const file = findFile(data);
  return (
    <li>
      <Shape tone={ok ? 'good' : 'bad'} />
      <div className="min-w-0">
        <p className="flex flex-wrap gap-2">
          <b>
            <bdi>{taskWords.step(step)}</bdi>
          </b>
          {code === null ? null : <code className="figure">{code}</code>}
          <Time at={at} as="exact" />
        </p>
        <p className="text-ink-2">
          <bdi>{message}</bdi>
        </p>
        {file === undefined ? null : (
          <img className="step-screenshot" src={toFileAddress(file)} alt={words.screenshot} loading="lazy" />
        )}
        {Object.keys(data).length === 0 ? null : (
          <details>
            <summary>{words.result}</summary>
            <Json>{data}</Json>
          </details>
        )}
      </div>
    </li>
  );
};

/** The host's steps. */
const Steps = ({ task }: { task: Task }) => {
  const steps = task.result.runner_result as readonly TaskStep[];
  if (steps.length === 0) return <p className="text-ink-3">{words.noSteps}</p>;
  return (
    <ol className="task-steps">
      {steps.map((step, index) => (
        <StepLine key={index} step={step} />
      ))}
    </ol>
  );
};

/** The status history, with who made each change. */
const Moves = ({ moves }: { moves: readonly TaskMove[] }) => (
  <ol className="moves">
    {moves.map(({ at, to, actor, attempt }, index) => (
      <li key={index}>
        <Time at={at} as="exact" />
        <span>{taskWords.statuses[toTaskStatusName(to)]}</span>
        <small>
          {words.by(taskWords.actors[actor])}
          {attempt > 1 ? `, ${words.attempt(attempt)}` : ''}
        </small>
      </li>
    ))}
  </ol>
);

const Content = ({ task, actions }: { task: Task; actions: ReactNode }) => {
  const { data: moves } = useHistory(task.terminal_id, task.id);
  return (
    <>
      <Facts task={task} />
      <Why task={task} />
      <TimelineBar task={task} moves={moves} />
      {actions}
      <Part title={words.steps}>
        <Steps task={task} />
      </Part>
      <Part title={words.payload}>
        {Object.keys(task.payload).length === 0 ? (
          <p className="text-ink-3">{words.plain}</p>
        ) : (
          <Json>{task.payload}</Json>
        )}
      </Part>
      <Part title={words.history}>
        {moves === undefined ? <Skeleton className="h-16 w-full" /> : <Moves moves={moves} />}
      </Part>
    </>
  );
};

export interface TaskViewProps {
  reading: Pick<UseQueryResult<Task>, 'data' | 'error' | 'refetch'>;
  /** Actions, below the facts. */
  actions?: (task: Task) => ReactNode;
}

/** One task with all its steps and status changes, as far as loaded. */
export const TaskView = ({ reading: { data: task, error, refetch }, actions }: TaskViewProps) => {
  if (isGone(error)) return <EmptyState title={words.gone}>{words.goneText}</EmptyState>;
  return (
    <>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {task === undefined && error === null ? <Skeleton className="h-64 w-full" /> : null}
      {task === undefined ? null : <Content task={task} actions={actions?.(task)} />}
    </>
  );
};
