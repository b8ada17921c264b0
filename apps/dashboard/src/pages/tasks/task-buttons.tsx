import { TaskType, type Task } from '@berth/client';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { isOpen, toWhyNotAgain, toWhyNotCancel, useCancelTask, useRunAgain } from './tasks-data.ts';

const words = pageTexts.tasks;

const CancelButton = ({ task }: { task: Task }) => {
  const cancel = useCancelTask();
  return (
    <Button isBusy={cancel.isRunning} whyNot={toWhyNotCancel(task)} onClick={() => cancel.run(task)}>
      {words.cancel}
    </Button>
  );
};

const AgainButton = ({ task }: { task: Task }) => {
  const again = useRunAgain();
  const [isAsking, setAsking] = useState(false);
  const isRisky = task.type === TaskType.ACCOUNT_OPEN_DEMO;
  const run = (): void => {
    setAsking(false);
    again.run(task);
  };
  return (
    <>
      <Button isBusy={again.isRunning} whyNot={toWhyNotAgain(task)} onClick={isRisky ? () => setAsking(true) : run}>
        {words.again}
      </Button>
      <Dialog
        title={words.demoTitle}
        description={words.demoLead}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        actions={
          <Button kind="primary" onClick={run}>
            {words.again}
          </Button>
        }
      />
    </>
  );
};

/** What can be done with a task: to cancel it before its end, to order it again afterwards. */
export const TaskButton = ({ task }: { task: Task }) =>
  isOpen(task) ? <CancelButton task={task} /> : <AgainButton task={task} />;
