import { FileRefusedError, type TaskFiles } from '../platforms/driver.ts';
import { repeatUntilAnswered, type RepeatOptions } from '../server/repeat-call.ts';
import { isKind, ServerError } from '../server/server-error.ts';

/** A person may wait for the task: the server is asked again sooner than by the loops. */
const MAX_PAUSE_MS = 2_000;

/** A driver knows nothing of the server's protocol: what it may say about a refusal is the code. */
const toRefusal = (error: unknown): unknown =>
  isKind(error, 'refused') ? new FileRefusedError(error.code, error.message, { cause: error }) : error;

/**
 * A task's files, moved also when the server is away for a while: what gets no answer is repeated until the signal of the
 * attempt aborts. An upload whose answer was lost leaves a second file, which expires like any screenshot.
 * @param onRevoked called before an upload rejects because the server does not know the attempt any more: its lease lapsed
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
