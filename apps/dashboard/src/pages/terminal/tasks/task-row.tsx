import { isFinalTaskStatus, TaskStatus } from '@berth/contract/values';
import type { Task } from '@berth/client';
import { useNow } from '../../../parts/clock.ts';
import { toFailure, toSubject, toTitle } from '../../../parts/task/task-facts.ts';
import { TaskStatusMark } from '../../../parts/task/task-status.tsx';
import { Time } from '../../../parts/time.tsx';
import { TimelineBar, toLength } from '../../../parts/timeline/timeline-bar.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';

const words = pageTexts.terminalTasks;

/** How long it took, or has taken so far. */
const Worked = ({ task }: { task: Task }) => {
  const isOpen = !isFinalTaskStatus(task.status);
  const now = useNow(isOpen ? 1_000 : 60_000);
  const from = (task.started_at ?? task.delivered_at ?? 0) * 1000;
  if (from === 0) return null;
  const to = isOpen ? now : Date.parse(task.updated_at);
  return <>{toLength(Math.max(0, to - from))} · </>;
};

/** A task in one line; a failed one shows why, and what to do. */
export const TaskRow = ({ task, onOpen }: { task: Task; onOpen: () => void }) => {
  const subject = toSubject(task);
  const failure = toFailure(task);
  return (
    <li className="task" data-open={task.status === TaskStatus.RUNNING ? '' : undefined}>
      <button type="button" className="task-name" onClick={onOpen}>
        <b>{toTitle(task)}</b>
        {subject === undefined ? null : <bdi className="clip">{subject}</bdi>}
        <span className="sr-only">{words.open}</span>
      </button>
      <TaskStatusMark status={task.status} />
      <TimelineBar task={task} />
      <span className="when">
        <Worked task={task} />
        <Time at={task.created_at} as="moment" />
      </span>
      {failure === undefined ? null : (
        <p className="clamp">
          <bdi>{failure.message}</bdi> {failure.advice}
        </p>
      )}
    </li>
  );
};
