import { TerminalStatus, type Terminal } from '@berth/client';
import { CircleX, Copy, Ellipsis, Play, RotateCw, Square } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { copyText } from '../../../parts/copy.ts';
import { Confirm } from '../../../parts/item-dialog.tsx';
import { Menu, MenuItem, MenuLine } from '../../../parts/menu.tsx';
import { toCurl } from '../../../parts/task/task-code.ts';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useCreateTask, whyNotNow } from '../../../data/create-task.ts';
import { toState } from '../state.ts';

const words = pageTexts.terminal;

/** Starts, stops and restarts the terminal, and closes what it has open; what experts do not survive is asked for. */
export const RunTools = ({ terminal }: { terminal: Terminal }) => {
  const [asked, setAsked] = useState<'stop' | 'close'>();
  const { run, isRunning } = useCreateTask(terminal.id);
  const close = (): void => setAsked(undefined);
  const copy = (): void => void copyText(toCurl('GET', `/v1/my/trading/terminals/${terminal.id}?include=details`));
  const confirm = (type: 'TERMINAL_STOP' | 'CLOSE_ALL'): void => {
    close();
    run({ type });
  };
  return (
    <>
      {toState(terminal) === 'STOPPED' ? (
        <Button
          icon={<Play />}
          whyNot={whyNotNow(terminal, 'TERMINAL_START')}
          isBusy={isRunning}
          onClick={() => run({ type: 'TERMINAL_START' })}
        >
          {words.start}
        </Button>
      ) : null}
      <Menu trigger={<Button icon={<Ellipsis />}>{words.more}</Button>}>
        {terminal.status === TerminalStatus.STOPPED ? null : (
          <>
            <MenuItem
              icon={<RotateCw />}
              whyNot={whyNotNow(terminal, 'TERMINAL_RESTART')}
              isBusy={isRunning}
              onSelect={() => run({ type: 'TERMINAL_RESTART' })}
            >
              {words.restart}
            </MenuItem>
            <MenuItem
              icon={<Square />}
              isDangerous
              whyNot={whyNotNow(terminal, 'TERMINAL_STOP')}
              onSelect={() => setAsked('stop')}
            >
              {words.stopOpen}
            </MenuItem>
            <MenuItem
              icon={<CircleX />}
              isDangerous
              whyNot={whyNotNow(terminal, 'CLOSE_ALL')}
              onSelect={() => setAsked('close')}
            >
              {words.closeAll}
            </MenuItem>
            <MenuLine />
          </>
        )}
        <MenuItem icon={<Copy />} onSelect={copy}>
          {words.copyCurl}
        </MenuItem>
      </Menu>
      <Confirm
        item={asked === 'stop' || undefined}
        title={words.stopTitle}
        lead={words.stopText(terminal.name)}
        verb={words.stop}
        action={{ run: () => confirm('TERMINAL_STOP') }}
        onClose={close}
      />
      <Confirm
        item={asked === 'close' || undefined}
        title={words.closeTitle}
        lead={words.closeText(terminal.name)}
        typed={terminal.name}
        verb={words.closeConfirm}
        action={{ run: () => confirm('CLOSE_ALL') }}
        onClose={close}
      />
    </>
  );
};
