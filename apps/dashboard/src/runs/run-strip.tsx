import { X } from 'lucide-react';
import { useEffect } from 'react';
import { tell } from '../data/notices.ts';
import { Button } from '../parts/button.tsx';
import { pageTexts } from '../texts/page-texts.ts';
import { RunDialog } from './run-dialog.tsx';
import { RunProgress, toSentence } from './run-progress.tsx';
import { isOver, toCounts, type Run } from './run.ts';
import { getRun, removeRun, showRun, useRuns, useShownRunId } from './store.ts';

const words = pageTexts.runs;

const Strip = ({ run }: { run: Run }) => {
  const over = isOver(run);
  return (
    <div className="run-strip" role="status">
      <p>
        <b>{run.title}</b> {toSentence(run)}
      </p>
      <RunProgress run={run} />
      <Button onClick={() => showRun(run.id)}>{words.show}</Button>
      <Button
        kind="bare"
        icon={<X />}
        aria-label={words.dismiss(run.title)}
        whyNot={over ? undefined : words.notOver}
        onClick={() => removeRun(run.id)}
      />
    </div>
  );
};

/** Tells the end of a run whose dialog nobody looks at. */
const useEnds = (runs: readonly Run[], shownId: number | undefined): void => {
  const overIds = runs
    .filter(isOver)
    .map(({ id }) => id)
    .join();
  useEffect(() => {
    for (const id of overIds.split(',').map(Number)) {
      const run = getRun(id);
      if (!run || told.has(id)) continue;
      told.add(id);
      if (id === shownId) continue;
      const { done, failed } = toCounts(run);
      tell({ kind: failed === 0 ? 'done' : 'failed', text: words.ended(run.title, done, failed) });
      if (failed === 0) removeRun(id);
    }
  }, [overIds, shownId]);
};
/** Ids of this tab grow and are few. */
const told = new Set<number>();

/** What is under way on many terminals, above every page; the dialog of the one that is looked at. */
export const RunStrips = () => {
  const runs = useRuns();
  const shownId = useShownRunId();
  useEnds(runs, shownId);
  const shown = runs.find(({ id }) => id === shownId);
  return (
    <section aria-label={words.tray}>
      {runs
        .filter(({ id }) => id !== shownId)
        .map((run) => (
          <Strip key={run.id} run={run} />
        ))}
      {shown === undefined ? null : <RunDialog run={shown} />}
    </section>
  );
};
