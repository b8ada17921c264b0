import type { Task } from '@berth/client';
import { isGone } from '../../../data/query-client.ts';
import { useTask } from '../../../data/tasks.ts';
import { Button } from '../../../parts/button.tsx';
import { copyText } from '../../../parts/copy.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { AgainButton, CancelButton } from '../../../parts/task/task-buttons.tsx';
import { toTaskCurl, toTaskTypeScript } from '../../../parts/task/task-code.ts';
import { toTitle } from '../../../parts/task/task-facts.ts';
import { TaskView } from '../../../parts/task/task-view.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { texts } from '../../../texts/texts.ts';
import { follow } from '../../../data/followed.ts';

const words = pageTexts.terminalTasks;

const Actions = ({ task, onClose }: { task: Task; onClose: () => void }) => (
  <div className="dialog-foot">
    <Button onClick={() => void copyText(task.id)}>{words.copyId}</Button>
    <Button onClick={() => void copyText(toTaskCurl(task))}>{words.copyCurl}</Button>
    <Button onClick={() => void copyText(toTaskTypeScript(task))}>{words.copyTypeScript}</Button>
    <CancelButton task={task}>{words.cancel}</CancelButton>
    <AgainButton
      task={task}
      onQueued={({ id }) => {
        follow(task.terminal_id, id);
        onClose();
      }}
    />
    <Button kind="primary" onClick={onClose}>
      {texts.close}
    </Button>
  </div>
);

export interface TaskDialogProps {
  terminalId: string;
  id: string;
  onClose: () => void;
}

/** One task with all its steps and status changes. It has a URL, so that it can be shared. */
export const TaskDialog = ({ terminalId, id, onClose }: TaskDialogProps) => {
  const reading = useTask(terminalId, id);
  const task = isGone(reading.error) ? undefined : reading.data;
  return (
    <Dialog
      title={task ? toTitle(task) : pageTexts.task.details}
      isOpen
      onClose={onClose}
      size="wide"
      hasOwnActions={task !== undefined}
    >
      <TaskView reading={reading} />
      {task ? <Actions task={task} onClose={onClose} /> : null}
    </Dialog>
  );
};
