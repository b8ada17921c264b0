import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { useFinalFocus } from './dialog-frame.tsx';
import { useOpening } from './opening.ts';

export interface SideSheetProps {
  title: ReactNode;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** One item of a list in full, beside the list; on a phone it covers the page. Closes with Escape. */
export const SideSheet = ({ title, isOpen, onClose, children }: SideSheetProps) => (
  <Base.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onClose())}>
    <Base.Portal>
      <Base.Backdrop className="veil" />
      <Base.Popup finalFocus={useFinalFocus(isOpen)} className="side-sheet">
        <header className="side-head">
          <Base.Title className="dialog-title min-w-0 flex-1 break-words">{title}</Base.Title>
          <Button kind="bare" icon={<X />} aria-label={texts.close} onClick={onClose} />
        </header>
        <Fragment key={useOpening(isOpen)}>{children}</Fragment>
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
);
