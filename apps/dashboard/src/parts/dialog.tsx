import { Dialog as Base } from '@base-ui/react/dialog';
import { Fragment, type ReactNode } from 'react';
import { texts } from '../texts/texts.ts';
import { Button, type ButtonProps } from './button.tsx';
import { useFinalFocus } from './final-focus.ts';
import { useOpening } from './opening.ts';

export interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** What it is about, in a sentence. */
  description?: ReactNode;
  children?: ReactNode;
  /** The buttons, the one that continues last; a button that closes comes before them. */
  actions?: ReactNode;
  /** `full`: as large as the window, for a screenshot. */
  size?: 'narrow' | 'wide' | 'full';
  /** true: the content has its own buttons, because they belong to its form. */
  hasOwnActions?: boolean;
}

/** Covers the page, traps the focus, and closes with Escape. */
export const Dialog = ({ title, isOpen, onClose, description, children, actions, ...look }: DialogProps) => (
  <Base.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onClose())}>
    <Base.Portal>
      <Base.Backdrop className="veil" />
      <Base.Popup finalFocus={useFinalFocus(isOpen)} className="dialog" data-size={look.size ?? 'narrow'}>
        <Base.Title className="dialog-title">{title}</Base.Title>
        {description === undefined ? null : <Base.Description className="text-ink-2">{description}</Base.Description>}
        <Fragment key={useOpening(isOpen)}>{children}</Fragment>
        {look.hasOwnActions ? null : (
          <div className="dialog-foot">
            <Button onClick={onClose}>{actions === undefined ? texts.close : texts.cancel}</Button>
            {actions}
          </div>
        )}
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
);

/** The buttons of a form in a dialog: one that closes, and one that submits. */
export const FormFoot = ({ onClose, ...send }: { onClose: () => void } & ButtonProps) => (
  <div className="dialog-foot">
    <Button onClick={onClose}>{texts.cancel}</Button>
    <Button type="submit" kind="primary" {...send} />
  </div>
);
