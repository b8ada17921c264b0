import { pageTexts } from '../texts/page-texts.ts';
import { isOver, toCounts, type Run } from './run.ts';

const words = pageTexts.runs;

/** How a run stands, in a sentence. */
export const toSentence = (run: Run): string => {
  const { total, done, failed } = toCounts(run);
  if (isOver(run)) return failed === 0 ? words.allDone(total) : words.someFailed(done, failed);
  if (done + failed === 0 && run.isAsking) return words.asking(total);
  return failed === 0 ? words.underWay(done, total) : words.underWayFailed(done, failed, total);
};

/** A bar of what is done and what failed. */
export const RunProgress = ({ run }: { run: Run }) => {
  const { total, done, failed } = toCounts(run);
  const ended = done + failed;
  return (
    <span
      className="run-bar"
      role="progressbar"
      aria-label={words.progress(run.title)}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={ended}
    >
      <i data-tone="good" style={{ flexGrow: done }} />
      <i data-tone="bad" style={{ flexGrow: failed }} />
      <i style={{ flexGrow: total - ended }} />
    </span>
  );
};
