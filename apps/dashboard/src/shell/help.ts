import { useCallback, useEffect, useState } from 'react';
import { isShortcut } from '../parts/shortcut.ts';

/** `?` opens the help, unless the user is typing or a dialog is open. */
export const useHelp = () => {
  const [isOpen, setOpen] = useState(false);
  const open = useCallback(() => setOpen(true), []);
  const close = useCallback(() => setOpen(false), []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!isShortcut(event, '?') || document.querySelector('[role="dialog"]')) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return { isOpen, open, close };
};
