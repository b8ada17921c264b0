import { TaskType, type CreatedTask, type Task } from '@berth/client';
import { toTaskTypeName } from '@berth/contract/values';
import { useState } from 'react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { isBlank, useForm } from '../../data/form.ts';
import { keys } from '../../data/keys.ts';
import { createTask, type TaskRequest } from '../../data/tasks.ts';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { Button } from '../button.tsx';
import { DialogForm } from '../dialog-form.tsx';
import { Dialog } from '../dialog.tsx';
import { Field } from '../field.tsx';
import { hasEnded, toSecrets, toTitle, toWhyNotAgain, toWhyNotCancel } from './task-facts.ts';

const words = pageTexts.task;

/** Its type, and its terminal if the list has the name. */
const toNamed = (task: Task): string =>
  [toTitle(task), ...(task.terminal_name === undefined ? [] : [isolate(task.terminal_name)])].join(', ');

const touches = (task: Task) => [keys.tasks.lists, keys.tasks.ofTerminal(task.terminal_id)];

/** @param props.children the button's label: "Cancel", or "Cancel the task" where that could mean something else */
export const CancelButton = ({ task, children }: { task: Task; children: string }) => {
  const cancel = useAction({
    run: () => berth.tasks.cancel(task.terminal_id, task.id),
    done: () => words.canceled(toNamed(task)),
    touches: () => touches(task),
  });
  return (
    <Button isBusy={cancel.isRunning} whyNot={toWhyNotCancel(task)} onClick={() => cancel.run(undefined)}>
      {children}
    </Button>
  );
};

export interface AgainButtonProps {
  task: Task;
  onQueued?: ((created: CreatedTask) => void) | undefined;
}

/** Tasks that change nothing: they are run again without a question. */
const onlyReads: ReadonlySet<TaskType> = new Set([
  TaskType.EA_LOGS,
  TaskType.SCREENSHOT,
  TaskType.SCREENSHOT_LATENCY,
  TaskType.MARKET_WATCH_SHOW_ALL,
]);

/** What running it again does to money, where it does. */
const toMoneyLead = ({ type, payload }: Task): string | undefined => {
  if (type === TaskType.CLOSE_ALL) return words.againLeads.closeAll;
  if (type === TaskType.OPTIONS_AUTO_TRADE && payload.allow_algo_trading === 1) return words.againLeads.tradingOn;
  const isExpert = type === TaskType.EA_INSTALL && payload.allow_algo_trading === 1;
  return isExpert ? words.againLeads.expert : undefined;
};

/** Creates the same task again, with what was typed anew. */
const toAgain = (task: Task, onQueued: AgainButtonProps['onQueued']) => ({
  // A type that no user can create was refused by `toWhyNotAgain`; the payload matches the type.
  run: (typed: Record<string, string>) =>
    createTask(task.terminal_id, {
      type: toTaskTypeName(task.type),
      payload: { ...task.payload, ...typed },
    } as unknown as TaskRequest),
  done: () => words.queued(toNamed(task)),
  about: ({ id }: CreatedTask) => id,
  touches: () => touches(task),
  onDone: (created: CreatedTask) => onQueued?.(created),
});

interface SecretsFormProps extends AgainButtonProps {
  secrets: readonly string[];
  onClose: () => void;
}

const SecretsForm = ({ task, secrets, onQueued, onClose }: SecretsFormProps) => {
  const again = toAgain(task, onQueued);
  const form = useForm({
    ...again,
    check: (typed: Record<string, string>) =>
      Object.fromEntries(secrets.map((name) => [name, isBlank(typed[name]) ? words.enterSecret : undefined])),
    onDone: (created) => {
      onClose();
      again.onDone(created);
    },
  });
  return (
    <DialogForm form={form} verb={words.again} onClose={onClose}>
      {secrets.map((name) => (
        // The browser's saved passwords are for the dashboard, not for a broker.
        <Field key={name} label={words.secret} name={name} type="password" autoComplete="new-password" required />
      ))}
    </DialogForm>
  );
};

/** Creates the same task again; asks first where it changes something, or needs a secret. */
export const AgainButton = ({ task, onQueued }: AgainButtonProps) => {
  const [isAsking, setAsking] = useState(false);
  const again = useAction(toAgain(task, onQueued));
  const secrets = toSecrets(task);
  const isDemo = task.type === TaskType.ACCOUNT_OPEN_DEMO;
  const close = (): void => setAsking(false);
  const run = (): void => {
    close();
    again.run({});
  };
  return (
    <>
      <Button
        isBusy={again.isRunning}
        whyNot={toWhyNotAgain(task)}
        onClick={onlyReads.has(task.type) ? run : () => setAsking(true)}
      >
        {words.again}
      </Button>
      <Dialog
        title={isDemo ? words.demoTitle : words.againTitle}
        description={
          isDemo ? words.demoLead : [words.againLead(toNamed(task)), toMoneyLead(task)].filter(Boolean).join(' ')
        }
        isOpen={isAsking}
        onClose={close}
        hasOwnActions={secrets.length > 0}
        actions={
          <Button kind="primary" onClick={run}>
            {words.again}
          </Button>
        }
      >
        {secrets.length > 0 ? <SecretsForm task={task} secrets={secrets} onQueued={onQueued} onClose={close} /> : null}
      </Dialog>
    </>
  );
};

/** The task's action: cancel it before its end, run it again afterwards. */
export const TaskButton = ({ task }: { task: Task }) =>
  hasEnded(task) ? <AgainButton task={task} /> : <CancelButton task={task}>{words.cancel}</CancelButton>;
