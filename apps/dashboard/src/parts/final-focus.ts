import { useCallback, useInsertionEffect, useRef } from 'react';

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
