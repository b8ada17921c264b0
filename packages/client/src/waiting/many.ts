/** Waiting for tasks on many terminals. */
import { AbortedError, BerthError, InvalidArgumentError, RefusedError } from '../errors.ts';
import { onAbort } from '../http/deadline.ts';
import type { CreateOptions } from '../options.ts';
import type { BulkCreation, CreatableTaskName } from '../types.ts';
import type { DoneTask, RunOptions } from './task.ts';

/** The outcome of a task on one of many terminals. */
export type TerminalResult<Name extends CreatableTaskName = CreatableTaskName> = {
  /** Terminal. */
  terminalId: string;
  /** Task; null if none was created. */
  taskId: string | null;
} & (
  | (DoneTask<Name> & {
      /** The task is COMPLETED. */
      ok: true;
    })
  | {
      /** The task failed or was not created, or the wait for it ended. */
      ok: false;
      /** Why. */
      error: BerthError;
    }
);

/** How tasks on many terminals are waited for. */
export interface RunManyOptions<Name extends CreatableTaskName = CreatableTaskName>
  extends CreateOptions, Pick<RunOptions, 'waitMs' | 'cancelOnAbort'> {
  /** How many tasks are waited for at the same time; 100. */
  concurrency?: number | undefined;
  /** Called with each result as it comes. If it throws, the waiting ends with what it threw. */
  onResult?: ((result: TerminalResult<Name>) => void) | undefined;
}

type Wait<Name extends CreatableTaskName> = (
  terminalId: string,
  taskId: string,
  signal: AbortSignal,
) => Promise<DoneTask<Name>>;

/** As many as one request reads. */
const CONCURRENCY = 100;

/** @throws InvalidArgumentError */
export const assertConcurrency = (concurrency: unknown): void => {
  if (concurrency === undefined || (Number.isInteger(concurrency) && Number(concurrency) > 0)) return;
  throw new InvalidArgumentError('concurrency is a whole number from 1 on.');
};

const toRefusal = ({ msg }: BulkCreation): RefusedError => {
  const facts = { code: undefined, requestId: undefined, retryAfterMs: undefined, hint: undefined, errors: {} };
  return new RefusedError(msg, { status: 200, ...facts });
};

/**
 * Waits for each of the tasks.
 * @returns results in the order of the terminals
 * @throws AbortedError when the signal ends it; what `onResult` throws
 */
export const waitForMany = async <Name extends CreatableTaskName>(
  created: readonly BulkCreation[],
  wait: Wait<Name>,
  { concurrency = CONCURRENCY, onResult, signal }: RunManyOptions<Name>,
): Promise<TerminalResult<Name>[]> => {
  const results: TerminalResult<Name>[] = [];
  const stop = new AbortController();
  const leave = signal && onAbort(signal, () => stop.abort(signal.reason));
  if (signal?.aborted) stop.abort(signal.reason);
  const waitForOne = async (creation: BulkCreation): Promise<TerminalResult<Name>> => {
    const { terminal_id: terminalId, task_id: taskId } = creation;
    if (taskId === null) return { terminalId, taskId, ok: false, error: toRefusal(creation) };
    try {
      return { terminalId, taskId, ok: true, ...(await wait(terminalId, taskId, stop.signal)) };
    } catch (error) {
      if (error instanceof BerthError) return { terminalId, taskId, ok: false, error };
      throw error;
    }
  };
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < created.length; at = next++) {
      const result = await waitForOne(created[at]!);
      results[at] = result;
      onResult?.(result);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, created.length) }, work));
  } catch (error) {
    next = created.length;
    stop.abort();
    throw error;
  } finally {
    leave?.();
  }
  if (!signal?.aborted) return results;
  const done = results.filter(({ ok }) => ok).length;
  const text = `Waiting for tasks on many terminals: aborted. ${done} of ${created.length} were completed.`;
  throw new AbortedError(text, { cause: signal.reason });
};
