import { useCallback, useInsertionEffect, useRef } from 'react';

/**
 * Where the keyboard goes on when a dialog closes: at what opened it, or, where that is gone or the dialog came with the
 * address, at the first thing of the page that takes it.
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
