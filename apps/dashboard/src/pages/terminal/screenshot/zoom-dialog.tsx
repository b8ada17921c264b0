import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Time } from '../../../parts/time.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { texts } from '../../../texts/texts.ts';
import { toFileAddress } from '../../../data/address.ts';

const words = pageTexts.terminal.screenshot;

export interface ZoomDialogProps {
  fileId: string;
  takenAt: string | undefined;
  onClose: () => void;
}

/** A screenshot, fitted to the screen or at its actual size. */
export const ZoomDialog = ({ fileId, takenAt, onClose }: ZoomDialogProps) => {
  const [isWhole, setWhole] = useState(true);
  return (
    <Dialog
      title={words.title}
      isOpen
      onClose={onClose}
      size="full"
      description={
        takenAt === undefined ? undefined : (
          <>
            {words.taken} <Time at={takenAt} />
          </>
        )
      }
      hasOwnActions
    >
      <div className="zoom" data-whole={isWhole ? '' : undefined} tabIndex={0} role="group" aria-label={words.title}>
        <img src={toFileAddress(fileId)} alt={words.title} />
      </div>
      <div className="dialog-foot">
        <Button aria-pressed={!isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? words.pixels : words.whole}
        </Button>
        <a className="button" href={toFileAddress(fileId)} download>
          {words.download}
        </a>
        <Button onClick={onClose}>{texts.close}</Button>
      </div>
    </Dialog>
  );
};
