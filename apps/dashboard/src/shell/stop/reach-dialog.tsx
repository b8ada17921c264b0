import { Link } from '@tanstack/react-router';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Time } from '../../parts/time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import type { Readiness } from '../../data/stop.ts';

const words = pageTexts.stopDialogs;

export interface ReachDialogProps {
  readiness: Readiness;
  isOpen: boolean;
  onClose: () => void;
}

/** The terminals that a stop would not reach now, while there is time to fix that. */
export const ReachDialog = ({ readiness, isOpen, onClose }: ReachDialogProps) => {
  const { total, reached, unchecked, unreached, about_ms: ms, checked_at: checkedAt } = readiness;
  const missed = total - reached - unchecked;
  return (
    <Dialog
      title={words.reachTitle}
      isOpen={isOpen}
      onClose={onClose}
      description={words.reachText(reached, ms)}
      hasOwnActions
    >
      {missed > 0 ? (
        <>
          <h3 className="reach-title">{words.unreached(missed)}</h3>
          <ul className="run-items">
            {unreached.map(({ terminal_id: id, name, reason }) => (
              <li key={id} className="run-item">
                <Link to="/terminals/$id" params={{ id }} className="row-name" onClick={onClose}>
                  {name}
                </Link>
                <span className="run-reason" data-tone="bad">
                  {reason}
                </span>
              </li>
            ))}
          </ul>
          {missed > unreached.length ? <p className="field-note">{words.more(missed - unreached.length)}</p> : null}
        </>
      ) : null}
      {reached === total ? <p>{words.allReached}</p> : null}
      {unchecked > 0 ? <p className="field-note">{words.unchecked(unchecked)}</p> : null}
      {checkedAt === null ? null : (
        <p className="field-note">
          {words.reachOldest} <Time at={checkedAt} />.
        </p>
      )}
      <div className="dialog-foot">
        <Button onClick={onClose}>{texts.close}</Button>
      </div>
    </Dialog>
  );
};
