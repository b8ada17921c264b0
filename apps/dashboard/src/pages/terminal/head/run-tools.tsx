import { TerminalStatus, type Terminal } from '@berth/client';
import { Play, RotateCw, Square } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { ConfirmByName } from '../../../parts/confirm-by-name.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useCreateTask, whyNotNow } from '../create-task.ts';

const words = pageTexts.terminal;

/** Starts, stops and restarts the terminal, and closes what it has open; what cannot be undone needs a confirmation. */
export const RunTools = ({ terminal }: { terminal: Terminal }) => {
  const [asked, setAsked] = useState<'stop' | 'close'>();
  const { run, isRunning } = useCreateTask(terminal.id);
  const close = (): void => setAsked(undefined);
  const isStopped = terminal.status === TerminalStatus.STOPPED;
  const confirm = (type: 'TERMINAL_STOP' | 'CLOSE_ALL'): void => {
    close();
    run({ type });
  };
  return (
    <>
      {isStopped ? (
        <Button
          icon={<Play />}
          whyNot={whyNotNow(terminal, 'TERMINAL_START')}
          isBusy={isRunning}
          onClick={() => run({ type: 'TERMINAL_START' })}
        >
          {words.start}
        </Button>
      ) : (
        <>
          <Button
            icon={<RotateCw />}
            whyNot={whyNotNow(terminal, 'TERMINAL_RESTART')}
            isBusy={isRunning}
            onClick={() => run({ type: 'TERMINAL_RESTART' })}
          >
            {words.restart}
          </Button>
          <Button
            kind="danger"
            icon={<Square />}
            whyNot={whyNotNow(terminal, 'TERMINAL_STOP')}
            onClick={() => setAsked('stop')}
          >
            {words.stop}
          </Button>
          <Button kind="danger" whyNot={whyNotNow(terminal, 'CLOSE_ALL')} onClick={() => setAsked('close')}>
            {words.closeAll}
          </Button>
        </>
      )}
      <Dialog
        title={words.stopTitle}
        description={words.stopText(terminal.name)}
        isOpen={asked === 'stop'}
        onClose={close}
        actions={
          <Button kind="destroy" onClick={() => confirm('TERMINAL_STOP')}>
            {words.stop}
          </Button>
        }
      />
      <ConfirmByName
        title={words.closeTitle}
        name={terminal.name}
        verb={words.closeConfirm}
        isOpen={asked === 'close'}
        isBusy={false}
        onClose={close}
        onConfirm={() => confirm('CLOSE_ALL')}
      >
        {words.closeText(terminal.name)}
      </ConfirmByName>
    </>
  );
};
