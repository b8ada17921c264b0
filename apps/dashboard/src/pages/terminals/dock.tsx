import type { BulkTaskName, TaskPayloads } from '@berth/client';
import { Camera, PowerOff, Power, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmByName } from '../../parts/confirm-by-name.tsx';
import { Dock } from '../../parts/surfaces.tsx';
import { startDeletions, startTasks } from '../../runs/start.ts';
import { showRun } from '../../runs/store.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { TaskMenu } from './task-menu.tsx';
import { toWholeFilter, type TerminalsSearch } from './search.ts';
import { MAX_SELECTED, type Selection } from './selection.ts';
import { useCounts } from './terminals-data.ts';

const words = pageTexts.terminals.dock;

/** Asks for all that the filter leaves, so that the selection is those and no others. */
const SelectMatching = ({ asked, selection }: { asked: TerminalsSearch; selection: Selection }) => {
  const { data: counts } = useCounts(asked);
  const filter = toWholeFilter(asked);
  const statuses = filter.status as readonly string[] | undefined;
  const total = (counts?.statuses ?? []).reduce(
    (sum, one) => (statuses === undefined || statuses.includes(one.status_name) ? sum + one.total : sum),
    0,
  );
  const { run, isRunning } = useAction({
    run: () => berth.terminals.list(filter).toArray(MAX_SELECTED),
    onDone: (all) => selection.set(all, true),
  });
  if (total <= selection.items.size) return null;
  return (
    <Button isBusy={isRunning} onClick={() => run(undefined)}>
      {Object.keys(filter).length === 0 ? words.selectAll(total) : words.selectMatching(total)}
    </Button>
  );
};

const DeleteMany = ({ selection }: { selection: Selection }) => {
  const [isOpen, setOpen] = useState(false);
  const targets = [...selection.items.values()];
  const [first] = targets;
  const isOne = targets.length === 1;
  const start = (): void => {
    setOpen(false);
    const id = startDeletions(words.deleteTitle(targets.length), targets);
    if (id === undefined) return;
    selection.clear();
    showRun(id);
  };
  return (
    <>
      <Button kind="danger" icon={<Trash2 />} onClick={() => setOpen(true)}>
        {words.delete}
      </Button>
      <ConfirmByName
        title={words.deleteTitle(targets.length)}
        name={isOne && first ? first.name : String(targets.length)}
        verb={isOne ? words.deleteOne : words.deleteMany(targets.length)}
        isOpen={isOpen}
        isBusy={false}
        onClose={() => setOpen(false)}
        onConfirm={start}
      >
        {words.deleteText(targets.length)}
      </ConfirmByName>
    </>
  );
};

/** What can be done with the selected terminals, within reach of a thumb. */
export const SelectionDock = ({ asked, selection }: { asked: TerminalsSearch; selection: Selection }) => {
  const count = selection.items.size;
  if (count === 0) return null;
  const start = <Name extends BulkTaskName>(title: string, type: Name, payload: TaskPayloads[Name]): void => {
    const id = startTasks({ title, type, payload }, [...selection.items.values()]);
    if (id !== undefined) showRun(id);
  };
  return (
    <Dock label={words.selected(count)}>
      <SelectMatching asked={asked} selection={selection} />
      <Button icon={<Camera />} onClick={() => start(words.pictures, 'SCREENSHOT', {})}>
        {words.pictures}
      </Button>
      <Button icon={<Power />} onClick={() => start(words.on, 'OPTIONS_AUTO_TRADE', { allow_algo_trading: 1 })}>
        {words.on}
      </Button>
      <Button
        kind="danger"
        icon={<PowerOff />}
        onClick={() => start(words.off, 'OPTIONS_AUTO_TRADE', { allow_algo_trading: 0 })}
      >
        {words.off}
      </Button>
      <TaskMenu count={count} onRun={(type, title) => start(title, type, {})} />
      <DeleteMany selection={selection} />
      <Button kind="bare" icon={<X />} aria-label={words.clear} onClick={() => selection.clear()} />
    </Dock>
  );
};
