import type { BulkRun } from '@berth/client';
import { pageTexts } from '../texts/page-texts.ts';
import { countExceptions, toTitle } from './run.ts';

/** A bar of what is done, failed, and skipped. */
export const RunProgress = ({ run }: { run: BulkRun }) => {
  const { total, succeeded, failed, skipped, canceled } = run;
  const ended = succeeded + countExceptions(run);
  return (
    <span
      className="run-bar"
      role="progressbar"
      aria-label={pageTexts.runs.progress(toTitle(run))}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={ended}
    >
      <i data-tone="good" style={{ flexGrow: succeeded }} />
      <i data-tone="bad" style={{ flexGrow: failed }} />
      <i data-tone="rest" style={{ flexGrow: skipped + canceled }} />
      <i style={{ flexGrow: total - ended }} />
    </span>
  );
};
