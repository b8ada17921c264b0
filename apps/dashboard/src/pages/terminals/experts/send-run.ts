import type { StoredFile } from '@berth/client';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useAction, type Action } from '../../../data/action.ts';
import { keys } from '../../../data/keys.ts';
import { createRandomText } from '../../../data/random.ts';
import type { TaskRequest } from '../../../data/tasks.ts';
import { createNewRun, showBegun } from '../../../runs/requests.ts';
import { useUpload } from '../../../parts/expert/expert-file.ts';

export interface SentRun {
  /** Uploaded before, unless it was. */
  file: File | StoredFile | undefined;
  /** The task on each terminal, once the file has its id. */
  toRequest: (fileId: string) => TaskRequest;
}

/**
 * Creates a run on these terminals from a form, which shows what is wrong itself. The same request has the same key: sent
 * again after a lost answer, it is no second run.
 */
export const useSendRun = (terminalIds: readonly string[], onDone: () => void): Action<SentRun> => {
  const client = useQueryClient();
  const upload = useUpload();
  const sent = useRef({ of: '', key: '' });
  return useAction({
    run: async ({ file, toRequest }: SentRun) => {
      const request = toRequest(file === undefined ? '' : await upload(file));
      const newRun = { ...request, terminal_ids: terminalIds };
      const of = JSON.stringify(newRun);
      if (sent.current.of !== of) sent.current = { of, key: createRandomText() };
      return createNewRun(newRun, { idempotencyKey: sent.current.key });
    },
    touches: () => [keys.account.all],
    onDone: (run) => {
      showBegun(client, run);
      onDone();
    },
    isSilentOnError: true,
  });
};
