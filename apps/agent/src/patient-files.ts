import type { TaskFiles } from './platforms/driver.ts';
import { repeatUntilAnswered, type RepeatOptions } from './repeat-call.ts';
import { ServerError } from './server-error.ts';

/** A person may wait for the task: the server is asked again sooner than by the loops. */
const MAX_PAUSE_MS = 2_000;

/**
 * A task's files, moved also when the server is away for a while: what gets no answer is repeated until the signal of the
 * attempt aborts. An upload whose answer was lost leaves a second file, which expires like any picture.
 * @param onRevoked called before an upload rejects because the server does not know the attempt any more: its lease lapsed
 */
export const toPatientFiles = (
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
    download: (fileId) => insist(() => files.download(fileId)),
    upload: (name, content) =>
      insist(() => files.upload(name, content)).catch((error: unknown) => {
        if (error instanceof ServerError && error.code === 'not_found') onRevoked();
        throw error;
      }),
  };
};
