import { useState, type FormEvent } from 'react';
import { Dialog, FormFoot } from '../../../parts/dialog.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { toFieldError, toFormError, useCreateTask } from '../create-task.ts';
import type { ChartWithExpert } from './charts-tab.tsx';
import { InputsEditor } from './inputs-editor.tsx';
import { hasInputError, toChangedInputs, toRows } from './inputs.ts';

const words = pageTexts.terminalExperts.inputsEditor;

export interface ChartDialogProps {
  terminalId: string;
  chart: ChartWithExpert;
  onClose: () => void;
}

/** Changes an EA's inputs. */
export const InputsDialog = ({ terminalId, chart, onClose }: ChartDialogProps) => {
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
      <form className="grid gap-4" onSubmit={submit}>
        {failure === null ? null : <Failure error={failure} />}
        <InputsEditor rows={rows} onChange={setRows} toError={(name) => toFieldError(create.error, `inputs.${name}`)} />
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
