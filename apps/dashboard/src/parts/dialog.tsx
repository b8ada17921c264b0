import { Dialog as Base } from '@base-ui/react/dialog';
import { Fragment, useCallback, useInsertionEffect, useRef, useState, type ReactNode } from 'react';
import { texts } from '../texts/texts.ts';
import { Button, type ButtonProps } from './button.tsx';

export interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** After it has faded out. */
  onClosed?: () => void;
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

/**
 * Where the focus goes when a dialog closes: to what opened it, or, where that is gone or the dialog was opened by the
 * URL, to the first focusable element of the page.
 */
export const useFinalFocus = (isOpen: boolean): (() => HTMLElement | null) => {
  const opener = useRef<Element | null>(null);
  // Before a field of the dialog takes the focus, which it does in the layout phase.
  useInsertionEffect(() => {
    if (isOpen) opener.current = document.activeElement;
  }, [isOpen]);
  return useCallback(() => {
    const { current } = opener;
    const isThere = current instanceof HTMLElement && current !== document.body && current.isConnected;
    return isThere ? current : document.getElementById('page');
  }, []);
};

/**
 * Counts how often a dialog was opened. Use it as the `key` of the content: earlier input is then gone even when the
 * dialog is reopened before it has faded out, while its content is still mounted.
 */
export const useOpening = (isOpen: boolean): number => {
  const [last, setLast] = useState({ isOpen, opening: 1 });
  if (last.isOpen !== isOpen) setLast({ isOpen, opening: last.opening + (isOpen ? 1 : 0) });
  return last.opening;
};

/** Covers the page, traps the focus, and closes with Escape. */
export const Dialog = ({ title, isOpen, onClose, onClosed, description, children, actions, ...look }: DialogProps) => (
  <Base.Root
    open={isOpen}
    onOpenChange={(open) => (open ? undefined : onClose())}
    onOpenChangeComplete={(open) => (open ? undefined : onClosed?.())}
  >
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
