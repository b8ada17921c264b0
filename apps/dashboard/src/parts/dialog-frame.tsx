import { Dialog as Base } from '@base-ui/react/dialog';
import { Fragment, useCallback, useInsertionEffect, useRef, type ReactNode } from 'react';
import { isAsking } from '../data/confirmation.ts';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { useOpening } from './opening.ts';

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
  /** It asks in between: the dialogs that are open stay open. */
  isAbove?: boolean;
}

/** What has the focus; of a menu, which closes, its button. */
const findOpener = (): Element | null => {
  const menu = document.activeElement?.closest('[role="menu"]');
  return menu ? document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`) : document.activeElement;
};

/**
 * Where the focus goes when a dialog closes: to what opened it, or, where that is gone or the dialog was opened by the
 * URL, to the first focusable element of the page.
 */
export const useFinalFocus = (isOpen: boolean): (() => HTMLElement | null) => {
  const opener = useRef<Element | null>(null);
  // Before a field of the dialog takes the focus, which it does in the layout phase.
  useInsertionEffect(() => {
    if (isOpen) opener.current = findOpener();
  }, [isOpen]);
  return useCallback(() => {
    const { current } = opener;
    const isThere = current instanceof HTMLElement && current !== document.body && current.isConnected;
    return isThere ? current : document.getElementById('page');
  }, []);
};

export const DialogFrame = ({
  title,
  isOpen,
  onClose,
  onClosed,
  description,
  children,
  actions,
  ...look
}: DialogProps) => (
  <Base.Root
    open={isOpen}
    onOpenChange={(open) => (open || (isAsking() && !look.isAbove) ? undefined : onClose())}
    onOpenChangeComplete={(open) => (open ? undefined : onClosed?.())}
  >
    <Base.Portal>
      <Base.Backdrop className="veil" forceRender />
      <Base.Popup
        finalFocus={useFinalFocus(isOpen)}
        className="dialog"
        data-size={look.size ?? 'narrow'}
        data-above={look.isAbove || undefined}
      >
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
