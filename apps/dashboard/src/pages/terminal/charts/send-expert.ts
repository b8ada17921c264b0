import type { CreatedTask } from '@berth/client';
import { toTaskTypeName } from '@berth/contract/values';
import { useAction, type Action } from '../../../data/action.ts';
import { keys } from '../../../data/keys.ts';
import { createTask, type TaskRequest } from '../../../data/tasks.ts';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useRef } from 'react';
import { follow } from '../followed.ts';
import { uploadExpert } from './expert-file.ts';

export interface SentExpert {
  file: File;
  /** The request, once the file has its id. */
  toRequest: (fileId: string) => TaskRequest;
}

/** Uploads a file and creates the task that uses it. Another try with the same file does not upload it again. */
export const useSendExpert = (terminalId: string, onDone: () => void): Action<SentExpert> => {
  const sent = useRef<{ file: File; id: string } | null>(null);
  return useAction({
    run: async ({ file, toRequest }: SentExpert) => {
      if (sent.current?.file !== file) sent.current = { file, id: (await uploadExpert(file)).id };
      return createTask(terminalId, toRequest(sent.current.id));
    },
    done: ({ type }: CreatedTask) => pageTexts.terminal.queued(pageTexts.taskWords.types[toTaskTypeName(type)]),
    about: ({ id }) => id,
    touches: () => [keys.tasks.ofTerminal(terminalId), keys.account.all],
    onDone: ({ id }) => {
      follow(terminalId, id);
      onDone();
    },
    isSilentOnError: true,
  });
};
