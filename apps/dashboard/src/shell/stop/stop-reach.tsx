import { useState } from 'react';
import { laterWhenOpen } from '../../parts/later.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { useReadiness } from '../../data/stop.ts';
import type { ReachDialogProps } from './reach-dialog.tsx';

const words = pageTexts.stop;

const ReachDialog = laterWhenOpen<ReachDialogProps>(async () => (await import('./reach-dialog.tsx')).ReachDialog);

/** How many terminals a stop would reach, and how soon; those that it would not are named on a click. */
export const StopReach = () => {
  const readiness = useReadiness();
  const [isOpen, setOpen] = useState(false);
  if (!readiness?.total) return null;
  const { total, reached, unchecked, about_ms: ms } = readiness;
  return (
    <>
      <button
        type="button"
        className="stop-reach"
        data-tone={reached + unchecked < total ? 'wait' : undefined}
        onClick={() => setOpen(true)}
      >
        {unchecked === total ? words.notChecked : words.reaches(reached, total, ms)}
      </button>
      <ReachDialog readiness={readiness} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
};
