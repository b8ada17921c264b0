import { createHash } from 'node:crypto';
import { StepFailure } from '../step-failure.ts';
import type { TaskRun } from './task-run.ts';

export const toSha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Downloads a file of the task as a step. Throws E_FILE when it is unavailable or empty. */
export const downloadFile = ({ files, steps, signal }: Pick<TaskRun, 'files' | 'steps' | 'signal'>, fileId: string) =>
  steps.run('fetch_file', async () => {
    let content: Buffer;
    try {
      content = await files.download(fileId);
    } catch (cause) {
      if (signal.aborted) throw cause;
      throw new StepFailure('E_FILE', 'The file could not be downloaded. Upload it again and repeat the task.', {
        cause,
      });
    }
    if (content.length === 0) throw new StepFailure('E_FILE', 'The file is empty. Upload the compiled program.');
    const sha256 = toSha256(content);
    return { message: `The file was fetched, ${content.length} bytes.`, data: { sha256 }, content, sha256 };
  });
