import { FileRefusedError, type TaskFiles } from '../platforms/driver.ts';
import { repeatUntilAnswered, type RepeatOptions } from '../server/repeat-call.ts';
import { isKind, ServerError } from '../server/server-error.ts';

/** A person may be waiting for the task: retries come sooner than in the loops. */
const MAX_PAUSE_MS = 2_000;

/** A driver does not know the server's protocol: all it may use of a refusal is the code. */
const toRefusal = (error: unknown): unknown =>
  isKind(error, 'refused') ? new FileRefusedError(error.code, error.message, { cause: error }) : error;

/**
 * Transfers a task's files even when the server is down for a while: what gets no answer is retried until the attempt's
 * signal aborts. An upload whose answer was lost leaves a second file, which expires like any screenshot.
 * @param onRevoked called before an upload rejects because the server no longer knows the attempt: its lease expired
 */
export const withRetry = (
  files: TaskFiles,
  repeat: Pick<RepeatOptions, 'signal' | 'timing' | 'log'>,
  onRevoked: () => void,
): TaskFiles => {
  const insist = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    const result = await repeatUntilAnswered(call, { ...repeat, maxMs: MAX_PAUSE_MS, rejects: ['refused'] });
    if (result === undefined) throw new ServerError('unreachable', 'The attempt ended before the server answered');
    return result;
  };
  return {
    download: (fileId) =>
      insist(() => files.download(fileId)).catch((error: unknown) => {
        throw toRefusal(error);
      }),
    upload: (name, content) =>
      insist(() => files.upload(name, content)).catch((error: unknown) => {
        if (isKind(error, 'refused') && error.code === 'not_found') onRevoked();
        throw toRefusal(error);
      }),
  };
};
