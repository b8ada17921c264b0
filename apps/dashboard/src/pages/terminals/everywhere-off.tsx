import { PowerOff } from 'lucide-react';
import { useMemo, useState } from 'react';
import { findTaskRefusal, MAX_BULK_TERMINALS, TaskType } from '@berth/contract/values';
import type { TerminalItem } from '@berth/client';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { startTasks } from '../../runs/start.ts';
import { showRun } from '../../runs/store.ts';
import { useCommands } from '../../shell/commands.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { MAX_SELECTED } from './selection.ts';
import { useCounts } from './terminals-data.ts';

const words = pageTexts.terminals.everywhere;

/** A terminal that takes no tasks has no expert that trades. */
const isRefusing = (status: TerminalItem['status']): boolean =>
  findTaskRefusal(status, TaskType.OPTIONS_AUTO_TRADE) !== undefined;

const useStop = (onDone: () => void) =>
  useAction({
    run: () => berth.terminals.list().toArray(MAX_SELECTED),
    onDone: (all) => {
      const targets = all.filter(({ status }) => !isRefusing(status));
      const order = { title: words.title, type: 'OPTIONS_AUTO_TRADE', payload: { allow_algo_trading: 0 } } as const;
      const id = startTasks(order, targets);
      onDone();
      if (id !== undefined) showRun(id);
    },
  });

/** Auto trading off on every terminal of the account, in two presses. */
export const EverywhereOff = () => {
  const [isOpen, setOpen] = useState(false);
  const { data: counts } = useCounts({});
  const stop = useStop(() => setOpen(false));
  const total = (counts?.statuses ?? []).reduce(
    (sum, { status, total: one }) => (isRefusing(status) ? sum : sum + one),
    0,
  );
  const whyNot = counts !== undefined && total === 0 ? words.nothing : undefined;
  const commands = useMemo(
    () => [{ id: 'terminals.off', name: words.open, words: 'stop panic', whyNot, run: () => setOpen(true) }],
    [whyNot],
  );
  useCommands(commands);
  return (
    <>
      <Button kind="danger" icon={<PowerOff />} whyNot={whyNot} onClick={() => setOpen(true)}>
        {words.open}
      </Button>
      <Dialog
        title={words.title}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        description={words.text(total)}
        actions={
          <Button kind="destroy" isBusy={stop.isRunning} onClick={() => stop.run(undefined)}>
            {words.confirm(total)}
          </Button>
        }
      >
        {total > MAX_BULK_TERMINALS ? (
          <p className="field-note">{words.calls(Math.ceil(total / MAX_BULK_TERMINALS))}</p>
        ) : null}
      </Dialog>
    </>
  );
};
