import { isFinalTaskStatus, TaskStatus, toTaskTypeName } from '@berth/contract/values';
import type { Task } from '@berth/client';
import { useEffect } from 'react';
import { isGone } from '../../data/query-client.ts';
import { notify } from '../../data/notices.ts';
import { useTask } from '../../data/tasks.ts';
import { toStepAdvice } from '../../parts/task/advice.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { unfollow, useFollowed, type FollowedTask } from '../../data/followed.ts';

/** A task's outcome in a sentence: the last step's own, and what to do if it failed. */
export const toOutcome = ({ type, status, result }: Pick<Task, 'type' | 'status' | 'result'>): string => {
  const words = pageTexts.taskWords;
  const terminal = pageTexts.terminal;
  const name = words.types[toTaskTypeName(type)];
  const { message = '', code } = result.runner_result.at(-1) ?? {};
  if (status === TaskStatus.COMPLETED) return terminal.ended(name, message);
  if (status === TaskStatus.CANCELED) return terminal.ended(name, words.canceled);
  return terminal.failed(
    name,
    [message, code ? toStepAdvice(code, message) : words.terminated].filter(Boolean).join(' '),
  );
};

const End = ({ task: { terminalId, id } }: { task: FollowedTask }) => {
  const { data: task, error } = useTask(terminalId, id);
  useEffect(() => {
    if (isGone(error)) unfollow(id);
    if (!task || !isFinalTaskStatus(task.status)) return;
    unfollow(id);
    const isDone = task.status === TaskStatus.COMPLETED;
    notify({ kind: isDone ? 'done' : 'failed', text: toOutcome(task), about: id });
  }, [task, error, id]);
  return null;
};

/** Notifies of the end of tasks that were created here. */
export const TaskEnds = () => useFollowed().map((task) => <End key={task.id} task={task} />);
