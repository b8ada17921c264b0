import { Dialog as Base } from '@base-ui/react/dialog';
import { Fragment, useCallback, useInsertionEffect, useRef } from 'react';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import type { DialogProps } from './dialog.tsx';
import { useOpening } from './opening.ts';

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
