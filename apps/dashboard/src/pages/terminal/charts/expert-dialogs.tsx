import type { TerminalChart } from '@berth/client';
import type { Platform } from '@berth/contract/values';
import { useState, type FormEvent } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Check } from '../../../parts/check.tsx';
import { Dialog, FormFoot } from '../../../parts/dialog.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useCheckedForm } from '../../../data/checked-form.ts';
import { toFormError, useCreateTask } from '../../../data/create-task.ts';
import { findFileError, useSendExpert } from '../../../parts/expert/expert-file.ts';
import { FileField } from '../../../parts/file-field.tsx';
import { InputsEditor, toInputError } from '../../../parts/expert/inputs-editor.tsx';
import { hasInputError, toChangedInputs, toRows } from '../../../parts/expert/inputs.ts';

const words = pageTexts.terminalExperts.inputsEditor;

export interface ChartWithExpert extends TerminalChart {
  expert: NonNullable<TerminalChart['expert']>;
}

export interface ChartDialogProps {
  terminalId: string;
  platform: Platform;
  chart: ChartWithExpert;
  onClose: () => void;
}

/** Changes an expert's inputs. */
export const InputsDialog = ({ terminalId, platform, chart, onClose }: ChartDialogProps) => {
  const [before] = useState(chart.expert.inputs);
  const [rows, setRows] = useState(() => toRows(before));
  const create = useCreateTask(terminalId, { isForm: true, onDone: onClose });
  const changed = toChangedInputs(rows, before);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!changed || hasInputError(rows)) return;
    create.run({ type: 'EA_UPDATE', payload: { chart_id: chart.chart_id, inputs: changed } });
  };
  const failure = toFormError(
    create.error,
    rows.map(({ name }) => `inputs.${name}`),
  );
  return (
    <Dialog title={chart.expert.name} description={words.text} isOpen onClose={onClose} hasOwnActions size="wide">
      <form className="grid gap-4" onSubmit={submit} noValidate>
        {failure === null ? null : <Failure error={failure} />}
        <InputsEditor
          rows={rows}
          platform={platform}
          onChange={setRows}
          toError={(name) => toInputError(create.error, name)}
        />
        <FormFoot
          onClose={onClose}
          isBusy={create.isRunning}
          whyNot={changed === undefined ? words.unchanged : hasInputError(rows) ? words.invalid : undefined}
        >
          {words.submit}
        </FormFoot>
      </form>
    </Dialog>
  );
};

const removal = pageTexts.terminalExperts.removeDialog;

/** Removes an expert from its chart. */
export const RemoveDialog = ({ terminalId, chart, onClose }: ChartDialogProps) => {
  const [deletesFile, setDeletesFile] = useState(false);
  const create = useCreateTask(terminalId, { onDone: onClose });
  const remove = (): void =>
    create.run({ type: 'EA_REMOVE', payload: { chart_id: chart.chart_id, delete_file: deletesFile ? 1 : 0 } });
  return (
    <Dialog
      title={removal.title}
      description={removal.text(chart.expert.name, chart.symbol)}
      isOpen
      onClose={onClose}
      actions={
        <Button kind="destroy" isBusy={create.isRunning} onClick={remove}>
          {removal.submit}
        </Button>
      }
    >
      <Check label={removal.deleteFile} isOn={deletesFile} onChange={setDeletesFile} />
    </Dialog>
  );
};

const { updateDialog: update, install } = pageTexts.terminalExperts;

/** Replaces an expert's program. */
export const UpdateDialog = ({ terminalId, chart, onClose }: ChartDialogProps) => {
  const [file, setFile] = useState<File>();
  const send = useSendExpert(terminalId, onClose);
  const fileError = file === undefined ? undefined : findFileError(file);
  const run = (): void => {
    if (!file || send.isRunning) return;
    const toRequest = (fileId: string) =>
      ({ type: 'EA_UPDATE', payload: { chart_id: chart.chart_id, file_id: fileId } }) as const;
    send.run({ file, toRequest });
  };
  const wrong = file === undefined || fileError !== undefined ? ['file_id'] : [];
  const { form, submit, toError } = useCheckedForm({ wrong, error: send.error, sentences: install.wrong, send: run });
  const failure = toFormError(send.error, ['file_id']);
  return (
    <Dialog title={update.title} description={update.text} isOpen onClose={onClose} hasOwnActions>
      <form className="grid gap-4" onSubmit={submit} ref={form} noValidate>
        {failure === null ? null : <Failure error={failure} />}
        <FileField file={file} error={fileError ?? toError('file_id')} onFile={setFile} />
        <FormFoot onClose={onClose} isBusy={send.isRunning}>
          {update.submit}
        </FormFoot>
      </form>
    </Dialog>
  );
};
