/** Waiting for the end of a task. */
import { TaskFailedError } from '../errors.ts';
import type { CallOptions } from '../options.ts';
import {
  TaskStatus,
  type CreatableTaskName,
  type Task,
  type TaskAnswers,
  type Tasks,
  type TaskStatusName,
  type TaskSteps,
} from '../types.ts';
import type { Changes } from './changes.ts';
import { waitUntil, type WaitOptions } from './wait.ts';

/** How the end of a task is waited for. */
export interface RunOptions<Name extends CreatableTaskName = CreatableTaskName> extends WaitOptions {
  /** Told each step once, in order, as soon as the service shows it. */
  onStep?: ((step: TaskSteps[Name]) => void) | undefined;
  /** Told each status that was seen: a fast task passes through some unseen. */
  onStatus?: ((status: TaskStatusName) => void) | undefined;
  /** Cancels the task when `signal` ends the waiting, if no host has it yet. */
  cancelOnAbort?: boolean | undefined;
}

/** A task that is COMPLETED. */
export interface DoneTask<Name extends CreatableTaskName = CreatableTaskName> {
  task: Tasks[Name];
  /** What its last step states: the answer. A host may leave out what it could not find out. */
  data: TaskAnswers[Name];
}

interface Source {
  read: (options: CallOptions) => Promise<Task>;
  cancel: () => Promise<unknown>;
  changes: Changes;
}

const WAIT_MS = 2 * 60 * 60_000;

const names = Object.keys(TaskStatus) as TaskStatusName[];
const toName = (status: TaskStatus): TaskStatusName | undefined => names.find((name) => TaskStatus[name] === status);

const toFailure = (task: Task): TaskFailedError => {
  const { code, message } = task.result.runner_result.at(-1) ?? {};
  return new TaskFailedError(`The task is ${toName(task.status)}. ${code ?? ''} ${message ?? ''}`.trim(), task);
};

/** @throws TaskFailedError where it ends otherwise than COMPLETED */
export const waitForTask = <Name extends CreatableTaskName>(
  { read, cancel, changes }: Source,
  id: string,
  { signal, waitMs = WAIT_MS, onStep, onStatus, cancelOnAbort }: RunOptions<Name>,
): Promise<DoneTask<Name>> => {
  let steps = 0;
  let status: TaskStatus | undefined;
  const look = async (options: CallOptions): Promise<DoneTask<Name> | undefined> => {
    const task = await read(options);
    const seen = task.result.runner_result as TaskSteps[Name][];
    for (const step of seen.slice(steps)) onStep?.(step);
    steps = seen.length;
    const name = toName(task.status);
    if (status !== task.status && name) onStatus?.(name);
    status = task.status;
    if (status < TaskStatus.COMPLETED) return undefined;
    if (status !== TaskStatus.COMPLETED) throw toFailure(task);
    return { task: task as Tasks[Name], data: (seen.at(-1)?.data ?? {}) as TaskAnswers[Name] };
  };
  const toOutcome = async (): Promise<string> => {
    if (!cancelOnAbort || !signal?.aborted) return 'The task itself goes on.';
    return cancel().then(
      () => 'The task was canceled.',
      () => 'The task could not be canceled any more, and goes on.',
    );
  };
  const isAbout = ({ event, data }: { event: string; data: { id?: string } }) => event === 'task' && data.id === id;
  return waitUntil({ what: `Waiting for the end of task ${id}`, look, isAbout, changes, signal, waitMs, toOutcome });
};
