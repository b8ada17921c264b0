import { useState, type FormEvent } from 'react';
import { Dialog, FormFoot } from '../../../parts/dialog.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { toFieldError, toFormError } from '../create-task.ts';
import { findFileError } from './expert-file.ts';
import { FileField } from './file-field.tsx';
import type { ChartDialogProps } from './inputs-dialog.tsx';
import { useSendExpert } from './send-expert.ts';

const { updateDialog: words, install } = pageTexts.terminalExperts;

/** Replaces an EA's program. */
export const UpdateDialog = ({ terminalId, chart, onClose }: ChartDialogProps) => {
  const [file, setFile] = useState<File>();
  const send = useSendExpert(terminalId, onClose);
  const fileError = file === undefined ? undefined : findFileError(file);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!file || fileError !== undefined || send.isRunning) return;
    const toRequest = (fileId: string) =>
      ({ type: 'EA_UPDATE', payload: { chart_id: chart.chart_id, file_id: fileId } }) as const;
    send.run({ file, toRequest });
  };
  const failure = toFormError(send.error, ['file_id']);
  return (
    <Dialog title={words.title} description={words.text} isOpen onClose={onClose} hasOwnActions>
      <form className="grid gap-4" onSubmit={submit}>
        {failure === null ? null : <Failure error={failure} />}
        <FileField file={file} error={fileError ?? toFieldError(send.error, 'file_id')} onFile={setFile} />
        <FormFoot onClose={onClose} isBusy={send.isRunning} whyNot={file === undefined ? install.noFile : fileError}>
          {words.submit}
        </FormFoot>
      </form>
    </Dialog>
  );
};
