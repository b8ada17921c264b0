import type { Task } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { useTask } from '../../data/tasks.ts';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { TaskButton } from '../../parts/task/task-buttons.tsx';
import { TaskView } from '../../parts/task/task-view.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { TaskName } from './task-links.tsx';
import { toTerminalPath } from './tasks-data.ts';

const words = pageTexts.tasks;

export interface TaskSheetProps {
  /** Undefined: nothing is shown. */
  task: string | undefined;
  terminal: string | undefined;
  onClose: () => void;
}

const toActions = (task: Task) => (
  <div className="side-foot">
    <TaskButton task={task} />
    <Link to={toTerminalPath(task)} className="button">
      {words.toTerminal}
    </Link>
    <Link to="/tasks" search={{ terminal: task.terminal_id }} className="button">
      {words.onlyThis}
    </Link>
  </div>
);

const Reading = ({ task, terminal, onClose }: Record<'task' | 'terminal', string> & { onClose: () => void }) => {
  const reading = useTask(terminal, task);
  const title = reading.data ? <TaskName task={reading.data} /> : pageTexts.task.details;
  return (
    <SideSheet title={title} isOpen onClose={onClose}>
      <TaskView reading={reading} actions={toActions} />
    </SideSheet>
  );
};

/** One task in full, beside the list. */
export const TaskSheet = ({ task, terminal, onClose }: TaskSheetProps) =>
  task === undefined || terminal === undefined ? null : (
    <Reading key={task} task={task} terminal={terminal} onClose={onClose} />
  );
