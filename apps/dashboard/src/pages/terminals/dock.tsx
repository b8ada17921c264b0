import type { BulkTaskName } from '@berth/client';
import { Camera, ListChecks, PowerOff, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Confirm } from '../../parts/item-dialog.tsx';
import { laterWhenOpen } from '../../parts/later.tsx';
import { Menu, MenuItem, MenuLine, MenuNote } from '../../parts/menu.tsx';
import { useStopInForce } from '../../parts/stop-in-force.ts';
import { Dock } from '../../parts/surfaces.tsx';
import { useBeginRun } from '../../runs/requests.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import type { ScheduleDialogProps } from '../../runs/schedule/schedule-dialog.tsx';
import { ExpertMenu } from './experts/expert-menu.tsx';
import { toWholeFilter, type TerminalsSearch } from './search.ts';
import { MAX_SELECTED, type Selection } from './selection.ts';
import { TagMany } from './tag-dialog.tsx';
import { useCounts } from './terminals-data.ts';

const words = pageTexts.terminals.dock;

const ScheduleDialog = laterWhenOpen<ScheduleDialogProps>(
  async () => (await import('../../runs/schedule/schedule-dialog.tsx')).ScheduleDialog,
);

/** Requests all terminals that match the filter, so that the selection is exactly those. */
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
  const begin = useBeginRun();
  const start = (): void => {
    setOpen(false);
    begin({ type: 'TERMINAL_DESTROY', terminal_ids: targets.map(({ id }) => id) }, () => selection.clear());
  };
  return (
    <>
      <Button kind="danger" icon={<Trash2 />} onClick={() => setOpen(true)}>
        {words.delete}
      </Button>
      <Confirm
        item={isOpen || undefined}
        title={words.deleteTitle(targets.length)}
        lead={words.deleteText(targets.length)}
        typed={isOne && first ? first.name : String(targets.length)}
        verb={isOne ? words.deleteOne : words.deleteMany(targets.length)}
        action={{ run: start }}
        onClose={() => setOpen(false)}
      />
    </>
  );
};

const taskWords = pageTexts.terminals.tasks;

/** Tasks that need no further input; those with a form of their own are on the page of one terminal. */
const types = [
  'TERMINAL_START',
  'TERMINAL_STOP',
  'TERMINAL_RESTART',
  'CLOSE_ALL',
  'ACCOUNT_LOGIN',
  'ACCOUNT_LOGOUT',
  'MARKET_WATCH_SHOW_ALL',
  'SCREENSHOT_LATENCY',
] as const;
type PlainTaskName = (typeof types)[number] & BulkTaskName;
type DangerousName = PlainTaskName & keyof typeof taskWords.dangers;
const isDangerous = (type: PlainTaskName): type is DangerousName => type in taskWords.dangers;

interface TaskMenuProps {
  selection: Selection;
  onRun: (type: PlainTaskName) => void;
  onTurnOn: () => void;
}

/** Accounts, which several terminals may share. */
const countAccounts = (selection: Selection): number =>
  new Set([...selection.items.values()].map((one) => JSON.stringify([one.login, one.server_name]))).size;

/**
 * One of a few tasks, on everything that is selected; those that stop trading need a confirmation, and so does turning
 * it on, which says on how many accounts experts may trade then.
 */
const TaskMenu = ({ selection, onRun, onTurnOn }: TaskMenuProps) => {
  const [asked, setAsked] = useState<DangerousName>();
  const [isTurningOn, setTurningOn] = useState(false);
  const [isScheduling, setScheduling] = useState(false);
  const count = selection.items.size;
  const stopped = useStopInForce(count);
  const choose = (type: PlainTaskName): void => {
    if (isDangerous(type)) setAsked(type);
    else onRun(type);
  };
  const confirm = (): void => {
    setAsked(undefined);
    if (asked !== undefined) onRun(asked);
  };
  const turnOn = (): void => {
    setTurningOn(false);
    onTurnOn();
  };
  return (
    <>
      <Menu side="top" trigger={<Button icon={<ListChecks />}>{taskWords.open}</Button>}>
        {types.map((type) => (
          <MenuItem key={type} isDangerous={isDangerous(type)} onSelect={() => choose(type)}>
            {taskWords.names[type]}
          </MenuItem>
        ))}
        <MenuItem onSelect={() => setTurningOn(true)}>{words.on}</MenuItem>
        <MenuLine />
        <MenuItem onSelect={() => setScheduling(true)}>{pageTexts.schedules.open}</MenuItem>
        <MenuNote>{taskWords.others}</MenuNote>
      </Menu>
      <ScheduleDialog ids={[...selection.items.keys()]} isOpen={isScheduling} onClose={() => setScheduling(false)} />
      <Dialog
        title={words.onTitle}
        description={[stopped, words.onText(countAccounts(selection))].filter(Boolean).join(' ')}
        isOpen={isTurningOn}
        onClose={() => setTurningOn(false)}
        actions={
          <Button kind="primary" onClick={turnOn}>
            {words.onConfirm}
          </Button>
        }
      />
      <Dialog
        title={asked === undefined ? '' : taskWords.names[asked]}
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        description={asked === undefined ? '' : taskWords.dangers[asked].text(count)}
        actions={
          <Button kind="destroy" onClick={confirm}>
            {asked === undefined ? '' : taskWords.dangers[asked].confirm(count)}
          </Button>
        }
      />
    </>
  );
};

/** Actions for the selected terminals, within reach of a thumb. Shown while there are any. */
export const SelectionDock = ({ asked, selection }: { asked: TerminalsSearch; selection: Selection }) => {
  const count = selection.items.size;
  const begin = useBeginRun();
  // By id, never by the filter; and a run on no terminal is refused.
  const terminalIds = [...selection.items.keys()];
  const switchTo = (isOn: 0 | 1): void =>
    begin({ type: 'OPTIONS_AUTO_TRADE', terminal_ids: terminalIds, payload: { allow_algo_trading: isOn } });
  return (
    <Dock label={words.selected(count)}>
      <Button kind="danger" icon={<PowerOff />} onClick={() => switchTo(0)}>
        {words.off}
      </Button>
      <span className="dock-rule" aria-hidden="true" />
      <SelectMatching asked={asked} selection={selection} />
      <Button icon={<Camera />} onClick={() => begin({ type: 'SCREENSHOT', terminal_ids: terminalIds })}>
        {words.screenshots}
      </Button>
      <TaskMenu
        selection={selection}
        onRun={(type) => begin({ type, terminal_ids: terminalIds })}
        onTurnOn={() => switchTo(1)}
      />
      <ExpertMenu ids={terminalIds} />
      <TagMany ids={terminalIds} />
      <DeleteMany selection={selection} />
      <Button kind="bare" icon={<X />} aria-label={words.clear} onClick={() => selection.clear()} />
    </Dock>
  );
};
