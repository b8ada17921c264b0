import type { BulkRun } from '@berth/client';
import { useQueryClient } from '@tanstack/react-query';
import { useAction } from '../data/action.ts';
import { berth } from '../data/berth.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { pageTexts } from '../texts/page-texts.ts';
import { texts } from '../texts/texts.ts';
import { show, useBeginRun } from './requests.ts';
import { RunItems } from './run-items.tsx';
import { RunProgress } from './run-progress.tsx';
import { isOver, toRetry, toSentence, toTitle } from './run.ts';
import { dismissRun, showRun } from './runs-data.ts';

const words = pageTexts.runs;

/** Repeats it where it failed. */
const Retry = ({ run }: { run: BulkRun }) => {
  const client = useQueryClient();
  const begin = useBeginRun();
  const { run: retry, isRunning } = useAction({
    run: (_: undefined) => berth.bulkRuns.items(run.id, { state: 'failed' }).toArray(),
    onDone: (items) => {
      const newRun = toRetry(
        run,
        items.map(({ terminal_id: id }) => id),
      );
      if (newRun) begin(newRun, () => dismissRun(client, run.id));
    },
  });
  if (run.failed === 0 || !isOver(run) || !toRetry(run, [])) return null;
  return (
    <Button kind="primary" isBusy={isRunning} onClick={() => retry(undefined)}>
      {words.retry(run.failed)}
    </Button>
  );
};

/** Cancels what no host has yet. */
const Cancel = ({ run }: { run: BulkRun }) => {
  const client = useQueryClient();
  const cancel = useAction({
    run: (_: undefined) => berth.bulkRuns.cancel(run.id),
    onDone: (canceled) => showRun(client, canceled),
  });
  if (isOver(run)) return null;
  return (
    <Button
      isBusy={cancel.isRunning}
      whyNot={run.canceled_at === null ? undefined : words.isCanceled}
      onClick={() => cancel.run(undefined)}
    >
      {words.cancel}
    </Button>
  );
};

/** The progress of a run, and its outcome on each terminal. It may be closed at any time: the server continues. */
export const RunDialog = ({ run }: { run: BulkRun }) => {
  const close = (): void => show(undefined);
  return (
    <Dialog title={toTitle(run)} isOpen onClose={close} description={toSentence(run)} hasOwnActions>
      <RunProgress run={run} />
      <RunItems run={run} />
      {isOver(run) ? null : <p className="field-note">{words.goesOn}</p>}
      <div className="dialog-foot">
        <Cancel run={run} />
        <Button onClick={close}>{texts.close}</Button>
        <Retry run={run} />
      </div>
    </Dialog>
  );
};
