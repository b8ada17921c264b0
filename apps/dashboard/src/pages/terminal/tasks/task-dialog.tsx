import { toTaskTypeName } from '@berth/contract/values';
import type { Task, TaskMove } from '@berth/client';
import { useAction } from '../../../data/action.ts';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { isGone } from '../../../data/query-client.ts';
import { Button } from '../../../parts/button.tsx';
import { copyText } from '../../../parts/copy.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { toTaskCurl, toTaskTypeScript } from '../../../parts/task-code.ts';
import { TaskStatusMark } from '../../../parts/task-status.tsx';
import { Time } from '../../../parts/time.tsx';
import { TimelineBar } from '../../../parts/timeline/timeline-bar.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { texts } from '../../../texts/texts.ts';
import { useOrder, type Order } from '../order.ts';
import { useHistory, useTask } from '../terminal-data.ts';
import { canCancel, toFailure, whyNotAgain } from './task-facts.ts';
import { Moves, Payload, Steps } from './task-parts.tsx';

const words = pageTexts.terminalTasks;

const Actions = ({ task, onClose }: { task: Task; onClose: () => void }) => {
  const order = useOrder(task.terminal_id, { onDone: onClose });
  const cancel = useAction({
    run: (_: undefined) => berth.tasks.cancel(task.terminal_id, task.id),
    done: () => words.canceled,
    touches: () => [keys.tasks.ofTerminal(task.terminal_id), keys.tasks.lists],
  });
  const again = (): void => order.run({ type: toTaskTypeName(task.type), payload: task.payload } as Order);
  return (
    <div className="dialog-foot">
      <Button onClick={() => void copyText(task.id, words.id)}>{words.copyId}</Button>
      <Button onClick={() => void copyText(toTaskCurl(task), words.copyCurl)}>{words.copyCurl}</Button>
      <Button onClick={() => void copyText(toTaskTypeScript(task), words.copyTypeScript)}>
        {words.copyTypeScript}
      </Button>
      <Button
        whyNot={canCancel(task) ? undefined : words.whyNoCancel}
        isBusy={cancel.isRunning}
        onClick={() => cancel.run(undefined)}
      >
        {words.cancel}
      </Button>
      <Button whyNot={whyNotAgain(task)} isBusy={order.isRunning} onClick={again}>
        {words.again}
      </Button>
      <Button kind="primary" onClick={onClose}>
        {texts.close}
      </Button>
    </div>
  );
};

const Facts = ({ task, moves }: { task: Task; moves: readonly TaskMove[] | undefined }) => {
  const failure = toFailure(task);
  return (
    <>
      <p className="flex flex-wrap items-center gap-3 text-ink-2">
        <TaskStatusMark status={task.status} />
        <span>
          {words.created} <Time at={task.created_at} as="moment" />
        </span>
        {task.planned_at === null ? null : (
          <span>
            {words.planned} <Time at={task.planned_at} as="moment" />
          </span>
        )}
        <code className="figure text-ink-3 break-all">{task.id}</code>
      </p>
      {failure === undefined ? null : (
        <p className="task-failure">
          {failure.code === null ? null : <code className="figure">{failure.code}</code>} <bdi>{failure.message}</bdi>{' '}
          <b>{failure.advice}</b>
        </p>
      )}
      <TimelineBar task={task} moves={moves} />
    </>
  );
};

export interface TaskDialogProps {
  terminalId: string;
  id: string;
  onClose: () => void;
}

/** One task with all its steps and moves. It has an address, so that it can be sent to somebody. */
export const TaskDialog = ({ terminalId, id, onClose }: TaskDialogProps) => {
  const { data: task, error, refetch } = useTask(terminalId, id);
  const { data: moves } = useHistory(terminalId, id);
  const gone = isGone(error);
  const title = gone ? words.gone : task ? pageTexts.taskWords.types[toTaskTypeName(task.type)] : texts.reading;
  return (
    <Dialog title={title} isOpen onClose={onClose} size="wide" hasOwnActions={task !== undefined}>
      {gone ? <p>{words.goneText}</p> : null}
      {error !== null && !gone ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {task === undefined && error === null ? <Skeleton className="h-40 w-full" /> : null}
      {task === undefined ? null : (
        <>
          <Facts task={task} moves={moves} />
          <Steps task={task} />
          <Payload payload={task.payload} />
          <Moves moves={moves} />
          <Actions task={task} onClose={onClose} />
        </>
      )}
    </Dialog>
  );
};
