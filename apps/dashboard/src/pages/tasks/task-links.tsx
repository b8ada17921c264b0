import type { Task } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { pageTexts } from '../../texts/page-texts.ts';
import { toSubject, toTitle } from '../../parts/task/task-facts.ts';
import { toTerminalPath } from './tasks-data.ts';

/** The task's type and subject. */
export const TaskName = ({ task }: { task: Task }) => (
  <>
    <b>{toTitle(task)}</b> <bdi className="text-ink-2">{toSubject(task)}</bdi>
  </>
);

/** The name of a task; opens it in the side sheet, over the unchanged list. */
export const TaskLink = ({ task }: { task: Task }) => (
  <Link
    from="/tasks"
    to="/tasks"
    search={(old) => ({ ...old, task: task.id, of: task.terminal_id })}
    className="task-link"
    resetScroll={false}
  >
    <TaskName task={task} />
  </Link>
);

/** The terminal of a task. */
export const TerminalLink = ({ task }: { task: Task }) => (
  <Link to={toTerminalPath(task)} className="link">
    <bdi>{task.terminal_name ?? pageTexts.tasks.oneTerminal}</bdi>
  </Link>
);
