/** An expert's file, on its way from the user's machine to the host. */
import { MAX_FILE_BYTES, toTaskTypeName } from '@berth/contract/values';
import type { CreatedTask, StoredFile } from '@berth/client';
import { useRef } from 'react';
import { useAction, type Action } from '../../data/action.ts';
import { berth, toFileName } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { toBytesText } from '../bytes.ts';
import { createTask, type TaskRequest } from '../../data/tasks.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { follow } from '../../data/followed.ts';

const words = pageTexts.terminalExperts.install;
/** 32 MiB over a slow line: longer than any other request. */
const UPLOAD_MS = 10 * 60_000;

/** A problem with a file before it is uploaded; undefined where there is none. */
export const findFileError = (file: Pick<File, 'size'>): string | undefined =>
  file.size > MAX_FILE_BYTES ? words.tooLarge(toBytesText(MAX_FILE_BYTES)) : undefined;

const uploadExpert = (file: File): Promise<StoredFile> =>
  berth.files.upload(toFileName(file), file, { timeoutMs: UPLOAD_MS });

/** Uploads a file, and answers its id. Another try with the same file does not upload it again. */
export const useUpload = (): ((file: File | StoredFile) => Promise<string>) => {
  const sent = useRef<{ file: File; id: string } | null>(null);
  return async (file) => {
    if ('sha256' in file) return file.id;
    if (sent.current?.file !== file) sent.current = { file, id: (await uploadExpert(file)).id };
    return sent.current.id;
  };
};

export interface SentExpert {
  /** What was uploaded before is not uploaded again. */
  file: File | StoredFile;
  /** The request, once the file has its id. */
  toRequest: (fileId: string) => TaskRequest;
}

/** Uploads a file and creates the task that uses it. */
export const useSendExpert = (terminalId: string, onDone: () => void): Action<SentExpert> => {
  const upload = useUpload();
  return useAction({
    run: async ({ file, toRequest }: SentExpert) => createTask(terminalId, toRequest(await upload(file))),
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
