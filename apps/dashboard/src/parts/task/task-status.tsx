import { toTaskStatusName } from '@berth/contract/values';
import type { Task, TaskStatusName } from '@berth/client';
import { pageTexts } from '../../texts/page-texts.ts';
import { StatusMark, type Tone } from '../status-mark.tsx';

/** How each status of a task looks. */
export const taskTones: Record<TaskStatusName, Tone> = {
  PENDING: 'rest',
  QUEUED: 'rest',
  DELIVERED: 'wait',
  RUNNING: 'wait',
  COMPLETED: 'good',
  FAILED: 'bad',
  CANCELED: 'rest',
  TERMINATED: 'cut',
};

/** The status of a task in a word. */
export const TaskStatusMark = ({ status }: Pick<Task, 'status'>) => {
  const name = toTaskStatusName(status);
  return <StatusMark tone={taskTones[name]}>{pageTexts.taskWords.statuses[name]}</StatusMark>;
};
