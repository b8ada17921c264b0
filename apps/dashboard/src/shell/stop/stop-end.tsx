import type { TradingStop } from '@berth/client';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { createRandomText } from '../../data/random.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { show } from '../../runs/requests.ts';
import { showRun } from '../../runs/runs-data.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';

const words = { ...pageTexts.stop, ...pageTexts.stopDialogs };

export interface StopEndProps {
  stop: TradingStop;
  isOpen: boolean;
  onClose: () => void;
}

/** Ends the stop: what was on is turned on again, or everything stays off. */
export const StopEnd = ({ stop, isOpen, onClose }: StopEndProps) => {
  const client = useQueryClient();
  // Whatever is sent twice of this stop ends it once.
  const key = useRef(createRandomText());
  const { total, is_by_operator: isByOperator, unconfirmed, was_on: on, was_unknown: unknown } = stop;
  const end = useAction({
    run: (restore: boolean) =>
      berth.tradingStop.end({ restore }, { idempotencyKey: `${key.current}-${restore ? 'on' : 'off'}` }),
    done: (_, restore) => (restore ? words.restored : words.leftOff),
    onDone: ({ run }) => {
      onClose();
      void client.invalidateQueries({ queryKey: keys.stop });
      if (!run) return;
      showRun(client, run);
      show(run.id);
    },
  });
  return (
    <Dialog
      title={words.endTitle}
      isOpen={isOpen}
      onClose={onClose}
      description={words.endText(on, total - on - unknown, unknown)}
      hasOwnActions
    >
      {isByOperator ? <p className="field-note">{words.byOperator}</p> : null}
      {unconfirmed > 0 ? <p className="field-note">{words.notAsked(unconfirmed)}</p> : null}
      <div className="dialog-foot">
        <Button onClick={onClose}>{texts.cancel}</Button>
        <Button isBusy={end.isRunning} onClick={() => end.run(false)}>
          {words.leaveOff}
        </Button>
        <Button
          kind="primary"
          isBusy={end.isRunning}
          whyNot={on === 0 ? words.nothingToRestore : undefined}
          onClick={() => end.run(true)}
        >
          {words.restore(on)}
        </Button>
      </div>
    </Dialog>
  );
};
