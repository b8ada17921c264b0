/** Waiting for the end of a task. */
import {
  TaskStatus,
  type CreatableTaskName,
  type LiveEvent,
  type Task,
  type TaskAnswers,
  type Tasks,
  type TaskStatusName,
  type TaskSteps,
} from '../types.ts';
import { taskStatusNames } from '../status-names.ts';
import type { Changes } from './changes.ts';
import { TaskFailedError } from './errors.ts';
import { callBack } from './call-back.ts';
import { waitUntil, type WaitOptions } from './wait.ts';

/** How the end of a task is waited for. */
export interface RunOptions<Name extends CreatableTaskName = CreatableTaskName> extends WaitOptions {
  /** Called with each step once, in order, as soon as the service shows it. */
  onStep?: ((step: TaskSteps[Name]) => void) | undefined;
  /** Called with each status that was seen: a fast task passes through some unseen. */
  onStatus?: ((status: TaskStatusName) => void) | undefined;
  /** Cancels the task when `signal` ends the waiting, if no host has it yet. */
  cancelOnAbort?: boolean | undefined;
}

/** A task that is COMPLETED. */
export interface DoneTask<Name extends CreatableTaskName = CreatableTaskName> {
  /** The task at its end. */
  task: Tasks[Name];
  /** The data of its last step: the result. A host may leave out what it could not find out. */
  data: TaskAnswers[Name];
}

interface Source {
  terminalId: string;
  read: (signal: AbortSignal) => Promise<Task>;
  cancel: () => Promise<unknown>;
  changes: Changes;
}

const WAIT_MS = 2 * 60 * 60_000;

const isFinal = (status: TaskStatus): boolean => status >= TaskStatus.COMPLETED;

const toFailure = (task: Task): TaskFailedError => {
  const { code, message } = task.result.runner_result.at(-1) ?? {};
  return new TaskFailedError(
    `The task is ${taskStatusNames[task.status]}. ${code ?? ''} ${message ?? ''}`.trim(),
    task,
  );
};

/** A host that could not verify what it did says so: what is not confirmed is not done. */
const isConfirmed = (data: object | undefined): boolean => !(data && 'verified' in data && data.verified === false);

/** The observed course of the task, reported to the caller: each step and each status once, in order. */
class Course<Name extends CreatableTaskName> {
  #steps = 0;
  #status: TaskStatus | undefined;
  readonly #options: RunOptions<Name>;

  constructor(options: RunOptions<Name>) {
    this.#options = options;
  }

  get status(): TaskStatus | undefined {
    return this.#status;
  }

  take(task: Task): void {
    const seen = task.result.runner_result as TaskSteps[Name][];
    for (const step of seen.slice(this.#steps)) callBack(this.#options.onStep, step);
    this.#steps = seen.length;
    this.takeStatus(task.status);
  }

  takeStatus(status: TaskStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    callBack(this.#options.onStatus, taskStatusNames[status]);
  }
}

/** @throws TaskFailedError if it does not end COMPLETED, or its host could not verify that it was done */
export const waitForTask = async <Name extends CreatableTaskName>(
  { terminalId, read, cancel, changes }: Source,
  id: string,
  options: RunOptions<Name>,
): Promise<DoneTask<Name>> => {
  const { signal, waitMs = WAIT_MS, cancelOnAbort } = options;
  const course = new Course(options);
  const key = String(id).toLowerCase();
  const look = async (over: AbortSignal): Promise<DoneTask<Name> | undefined> => {
    const task = await read(over);
    course.take(task);
    if (!isFinal(task.status)) return undefined;
    const data = task.result.runner_result.at(-1)?.data;
    if (task.status !== TaskStatus.COMPLETED || !isConfirmed(data)) throw toFailure(task);
    return { task: task as Tasks[Name], data: (data ?? {}) as TaskAnswers[Name] };
  };
  const toOutcome = async (): Promise<string> => {
    const last = course.status === undefined ? 'It was not seen. ' : `It was ${taskStatusNames[course.status]} then. `;
    if (!cancelOnAbort || !signal?.aborted) return `${last}The task itself goes on.`;
    return cancel().then(
      () => 'The task was canceled.',
      () => `${last}The task could not be canceled any more, and goes on.`,
    );
  };
  /** Events contain the status; the outcome is read at the end. */
  const isReason = ({ event, data }: LiveEvent): boolean => {
    if (event !== 'task' || data.id !== key) return false;
    if (!isFinal(data.status)) course.takeStatus(data.status);
    return isFinal(data.status);
  };
  return waitUntil({
    what: `Waiting for the end of task ${id} of terminal ${terminalId}`,
    look,
    isReason,
    changes,
    signal,
    waitMs,
    toOutcome,
  });
};
