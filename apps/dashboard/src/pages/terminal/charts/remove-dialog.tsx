import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Check } from '../../../parts/check.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useOrder } from '../order.ts';
import type { ChartDialogProps } from './inputs-dialog.tsx';

const words = pageTexts.terminalExperts.removeDialog;

/** Takes an expert off its chart. */
export const RemoveDialog = ({ terminalId, chart, onClose }: ChartDialogProps) => {
  const [deletesFile, setDeletesFile] = useState(false);
  const order = useOrder(terminalId, { onDone: onClose });
  const remove = (): void =>
    order.run({ type: 'EA_REMOVE', payload: { chart_id: chart.chart_id, delete_file: deletesFile ? 1 : 0 } });
  return (
    <Dialog
      title={words.title}
      description={words.text(chart.expert.name, chart.symbol)}
      isOpen
      onClose={onClose}
      actions={
        <Button kind="destroy" isBusy={order.isRunning} onClick={remove}>
          {words.submit}
        </Button>
      }
    >
      <Check label={words.deleteFile} isOn={deletesFile} onChange={setDeletesFile} />
    </Dialog>
  );
};
