import { PowerOff } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useBeginRun } from '../../runs/requests.ts';
import { useCommands } from '../../shell/commands.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { useCounts } from './terminals-data.ts';

const words = pageTexts.terminals.everywhere;

/** Turns Algo Trading off on every terminal of the account, in two clicks. The server decides which ones these are. */
export const EverywhereOff = () => {
  const [isOpen, setOpen] = useState(false);
  const { data: counts } = useCounts({});
  const begin = useBeginRun();
  const stop = (): void => {
    setOpen(false);
    begin({ type: 'OPTIONS_AUTO_TRADE', all: true, payload: { allow_algo_trading: 0 } });
  };
  const total = counts?.total ?? 0;
  const whyNot = counts?.total === 0 ? words.nothing : undefined;
  const commands = useMemo(
    () => [{ id: 'terminals.off', name: words.open, words: 'panic off', whyNot, run: () => setOpen(true) }],
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
          <Button kind="destroy" onClick={stop}>
            {words.confirm(total)}
          </Button>
        }
      >
        <p className="field-note">{words.skipped}</p>
      </Dialog>
    </>
  );
};
