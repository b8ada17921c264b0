import type { Task } from '@berth/client';
import { Table } from '../../parts/table.tsx';
import { TaskButton } from '../../parts/task/task-buttons.tsx';
import { toFailure } from '../../parts/task/task-facts.ts';
import { TaskStatusMark } from '../../parts/task/task-status.tsx';
import { Time } from '../../parts/time.tsx';
import { TimelineBar } from '../../parts/timeline/timeline-bar.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { TaskLink, TerminalLink } from './task-links.tsx';

const { columns, caption } = pageTexts.tasks;

const Row = ({ task }: { task: Task }) => (
  <tr>
    <td data-card="name" className="wide">
      <span className="row-name">
        <TaskLink task={task} />
        <small className="truncate font-text">
          <bdi>{toFailure(task)?.message}</bdi>
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

/** @param tasks undefined while loading: skeleton rows reserve the space */
export const TaskTable = ({ tasks }: { tasks: readonly Task[] | undefined }) => (
  <Table
    caption={caption}
    columns={[columns.task, columns.terminal, columns.status, columns.timeline, { number: columns.created }]}
    actions={columns.actions}
    items={tasks}
    expected={8}
  >
    {(task) => <Row key={task.id} task={task} />}
  </Table>
);
