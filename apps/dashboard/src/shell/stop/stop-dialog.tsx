import { useQuery } from '@tanstack/react-query';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useBeginRun } from '../../runs/requests.ts';
import { useReadiness, type Readiness } from '../../data/stop.ts';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.stop;

const NAMES_SHOWN = 5;

export interface StopDialogProps {
  isOpen: boolean;
  onClose: () => void;
}

/** How many it would reach, and some of those that it would not. */
const Reach = ({ readiness }: { readiness: Readiness }) => {
  const { total, reached, unchecked, unreached, about_ms: ms } = readiness;
  const missed = total - reached - unchecked;
  if (unchecked === total) return null;
  const names = unreached.slice(0, NAMES_SHOWN).map(({ name }) => name);
  return (
    <>
      <p>{words.reaches(reached, total, ms)}.</p>
      {missed > 0 ? (
        <p className="run-reason" data-tone="bad">
          {words.missed(names, missed - names.length)}
        </p>
      ) : null}
    </>
  );
};

/** Asks once, with the number of terminals. Which ones these are is up to the server. */
export const StopDialog = ({ isOpen, onClose }: StopDialogProps) => {
  const { data: counts } = useQuery({
    queryKey: keys.terminals.counts({}),
    queryFn: ({ signal }) => berth.terminals.counts({}, { signal }),
  });
  const readiness = useReadiness();
  const begin = useBeginRun();
  const total = counts?.total ?? 0;
  const stop = (): void => {
    onClose();
    begin({ type: 'OPTIONS_AUTO_TRADE', all: true, payload: { allow_algo_trading: 0 } });
  };
  return (
    <Dialog
      title={words.title}
      isOpen={isOpen}
      onClose={onClose}
      description={words.text(total)}
      actions={
        <Button kind="destroy" whyNot={counts?.total === 0 ? words.nothing : undefined} onClick={stop}>
          {words.confirm(total)}
        </Button>
      }
    >
      {readiness ? <Reach readiness={readiness} /> : null}
      <p className="field-note">{words.skipped}</p>
    </Dialog>
  );
};
