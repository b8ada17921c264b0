import type { Task } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { pageTexts } from '../../texts/page-texts.ts';
import { toDetail, toTerminalPath, toTitle } from './tasks-data.ts';

/** The name of a task; it opens the task at the side, over the list as it is. */
export const TaskLink = ({ task }: { task: Task }) => (
  <Link
    from="/tasks"
    to="/tasks"
    search={(old) => ({ ...old, task: task.id, of: task.terminal_id })}
    className="task-link"
    resetScroll={false}
  >
    <b>{toTitle(task)}</b> <bdi className="text-ink-2">{toDetail(task)}</bdi>
  </Link>
);

/** The terminal of a task. */
export const TerminalLink = ({ task }: { task: Task }) => (
  <Link to={toTerminalPath(task)} className="link">
    <bdi>{task.terminal_name ?? pageTexts.tasks.oneTerminal}</bdi>
  </Link>
);
