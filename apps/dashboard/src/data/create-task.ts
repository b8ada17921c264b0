/** A task created on this page: there is a message when it is queued, and another when it ends. */
import { RefusedError, type CreatableTaskName, type CreatedTask, type Terminal } from '@berth/client';
import { findTaskRefusal, TaskType, toTaskTypeName } from '@berth/contract/values';
import { useAction, type Action } from './action.ts';
import { berth } from './berth.ts';
import { toFieldError as readFieldError } from './form.ts';
import { keys } from './keys.ts';
import { createTask, type TaskRequest } from './tasks.ts';
import { pageTexts } from '../texts/page-texts.ts';
import { follow } from './followed.ts';

export interface CreateTaskOptions {
  /** true: the form shows the error itself, beside its fields. */
  isForm?: boolean;
  onDone?: (task: CreatedTask) => void;
}

/** Creates tasks on a terminal. */
export const useCreateTask = (
  terminalId: string,
  { isForm = false, onDone }: CreateTaskOptions = {},
): Action<TaskRequest> =>
  useAction<TaskRequest, CreatedTask>({
    run: (request) => createTask(terminalId, request),
    done: ({ type }) => pageTexts.terminal.queued(pageTexts.taskWords.types[toTaskTypeName(type)]),
    about: ({ id }) => id,
    touches: () => [keys.tasks.ofTerminal(terminalId)],
    onDone: (task) => {
      follow(terminalId, task.id);
      onDone?.(task);
    },
    isSilentOnError: isForm,
  });

/** Why a task of the type cannot be created now, in the server's words; undefined where it can. */
export const whyNotNow = ({ status }: Pick<Terminal, 'status'>, type: CreatableTaskName): string | undefined =>
  findTaskRefusal(status, TaskType[type]);

/** The server's message about one field of the payload. */
export const toFieldError = (error: Error | null, field: string): string | undefined =>
  (readFieldError(error, `payload.${field}`) ?? readFieldError(error, field))?.replaceAll('payload.', '');

/** An error that belongs to none of these fields, so that the form shows it as a whole. */
export const toFormError = (error: Error | null, fields: readonly string[]): Error | null =>
  error instanceof RefusedError || !fields.some((field) => toFieldError(error, field) !== undefined) ? error : null;

/** A new screenshot of the whole window; concurrent requests get the same one. */
export const useTakeScreenshot = (terminalId: string): Action<undefined> =>
  useAction({
    run: (_: undefined) => berth.terminals.freshScreenshot(terminalId),
    done: () => pageTexts.terminal.queued(pageTexts.taskWords.types.SCREENSHOT),
    touches: () => [keys.tasks.ofTerminal(terminalId)],
    onDone: ({ id }: CreatedTask) => follow(terminalId, id),
  });
