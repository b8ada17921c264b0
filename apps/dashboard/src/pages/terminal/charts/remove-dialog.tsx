import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Check } from '../../../parts/check.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useCreateTask } from '../create-task.ts';
import type { ChartDialogProps } from './inputs-dialog.tsx';

const words = pageTexts.terminalExperts.removeDialog;

/** Removes an EA from its chart. */
export const RemoveDialog = ({ terminalId, chart, onClose }: ChartDialogProps) => {
  const [deletesFile, setDeletesFile] = useState(false);
  const create = useCreateTask(terminalId, { onDone: onClose });
  const remove = (): void =>
    create.run({ type: 'EA_REMOVE', payload: { chart_id: chart.chart_id, delete_file: deletesFile ? 1 : 0 } });
  return (
    <Dialog
      title={words.title}
      description={words.text(chart.expert.name, chart.symbol)}
      isOpen
      onClose={onClose}
      actions={
        <Button kind="destroy" isBusy={create.isRunning} onClick={remove}>
          {words.submit}
        </Button>
      }
    >
      <Check label={words.deleteFile} isOn={deletesFile} onChange={setDeletesFile} />
    </Dialog>
  );
};
