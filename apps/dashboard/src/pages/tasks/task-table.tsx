import type { Task } from '@berth/client';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { TaskStatusMark } from '../../parts/task-status.tsx';
import { Time } from '../../parts/time.tsx';
import { TimelineBar } from '../../parts/timeline/timeline-bar.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { TaskButton } from './task-buttons.tsx';
import { TaskLink, TerminalLink } from './task-links.tsx';

const { columns, caption } = pageTexts.tasks;

const toFailure = (task: Task): string | undefined => task.result.runner_result.findLast(({ ok }) => !ok)?.message;

const Row = ({ task }: { task: Task }) => (
  <tr>
    <td data-card="name" className="wide">
      <span className="row-name">
        <TaskLink task={task} />
        <small className="truncate font-text">
          <bdi>{toFailure(task)}</bdi>
        </small>
      </span>
    </td>
    <td data-card="below" className="task-terminal">
      <TerminalLink task={task} />
    </td>
    <td data-card="end">
      <TaskStatusMark status={task.status} />
    </td>
    <td className="task-course">
      <TimelineBar task={task} />
    </td>
    <td data-card="below" className="num">
      <Time at={task.created_at} />
    </td>
    <td className="num">
      <TaskButton task={task} />
    </td>
  </tr>
);

/** @param tasks undefined while they are read: the rows then have their places already */
export const TaskTable = ({ tasks }: { tasks: readonly Task[] | undefined }) => (
  <table className="table" aria-busy={tasks === undefined}>
    <caption className="sr-only">{caption}</caption>
    <thead>
      <tr>
        <th scope="col">{columns.task}</th>
        <th scope="col">{columns.terminal}</th>
        <th scope="col">{columns.status}</th>
        <th scope="col">{columns.course}</th>
        <th scope="col" className="num">
          {columns.created}
        </th>
        <th scope="col">
          <span className="sr-only">{columns.actions}</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {tasks === undefined ? (
        <SkeletonRows rows={8} columns={6} />
      ) : (
        tasks.map((task) => <Row key={task.id} task={task} />)
      )}
    </tbody>
  </table>
);
