import { Dialog as Base } from '@base-ui/react/dialog';
import type { Task } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { useTask } from '../../data/tasks.ts';
import { Button } from '../../parts/button.tsx';
import { useFinalFocus, useOpening } from '../../parts/dialog.tsx';
import { TaskButton } from '../../parts/task/task-buttons.tsx';
import { TaskView } from '../../parts/task/task-view.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
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

interface SideSheetProps {
  title: ReactNode;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** One item of a list in full, beside the list; on a phone it covers the page. Closes with Escape. */
const SideSheet = ({ title, isOpen, onClose, children }: SideSheetProps) => (
  <Base.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onClose())}>
    <Base.Portal>
      <Base.Backdrop className="veil" />
      <Base.Popup finalFocus={useFinalFocus(isOpen)} className="side-sheet">
        <header className="side-head">
          <Base.Title className="dialog-title min-w-0 flex-1 break-words">{title}</Base.Title>
          <Button kind="bare" icon={<X />} aria-label={texts.close} onClick={onClose} />
        </header>
        <Fragment key={useOpening(isOpen)}>{children}</Fragment>
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
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
