import { OctagonX } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { laterWhenOpen } from '../../parts/later.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { useCommands } from '../../data/commands.ts';
import { StopReach } from './stop-reach.tsx';
import type { StopDialogProps } from './stop-dialog.tsx';

const words = pageTexts.stop;

const StopDialog = laterWhenOpen<StopDialogProps>(async () => (await import('./stop-dialog.tsx')).StopDialog);

/** Turns algo trading off on every terminal of the account, in two clicks, from every page. */
export const StopAll = () => {
  const [isOpen, setOpen] = useState(false);
  const commands = useMemo(
    () => [{ id: 'stop', name: words.open, words: words.openWords, isFirst: true, run: () => setOpen(true) }],
    [],
  );
  useCommands(commands);
  return (
    <>
      <Button
        kind="danger"
        className="stop-all"
        icon={<OctagonX />}
        aria-label={words.open}
        onPointerEnter={() => void StopDialog.preload()}
        onFocus={() => void StopDialog.preload()}
        onClick={() => setOpen(true)}
      >
        {words.short}
      </Button>
      <StopReach />
      <StopDialog isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
};
