import type { TradingStop } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { Dialog } from '../../parts/dialog.tsx';
import { Time } from '../../parts/time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { texts } from '../../texts/texts.ts';
import { Button } from '../../parts/button.tsx';

const words = pageTexts.stopDialogs;

export interface StopExceptionsProps {
  stop: TradingStop;
  isOpen: boolean;
  onClose: () => void;
}

/** The terminals of a stop that may still trade. */
export const StopExceptions = ({ stop, isOpen, onClose }: StopExceptionsProps) => {
  const { exceptions, unconfirmed, on_again: onAgain } = stop;
  const others = unconfirmed + onAgain - exceptions.length;
  return (
    <Dialog title={words.exceptions} isOpen={isOpen} onClose={onClose} description={words.exceptionsText} hasOwnActions>
      <ul className="run-items">
        {exceptions.map(({ terminal_id: id, name, is_on_again: isOnAgain, asked_at: askedAt }) => (
          <li key={id} className="run-item">
            <Link to="/terminals/$id" params={{ id }} className="row-name" onClick={onClose}>
              {name}
            </Link>
            <span className="run-reason" data-tone="bad">
              {isOnAgain ? (
                words.onAgain
              ) : (
                <>
                  {words.unconfirmed}, {words.askedAgo} <Time at={askedAt} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      {others > 0 ? <p className="field-note">{words.more(others)}</p> : null}
      <div className="dialog-foot">
        <Button onClick={onClose}>{texts.close}</Button>
      </div>
    </Dialog>
  );
};
