import { useCallback, useEffect, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { isShortcut } from '../parts/shortcut.ts';
import { pageTexts } from '../texts/page-texts.ts';

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

/** The keyboard shortcuts, and where to read more. */
export const KeysHelp = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => (
  <Dialog title={pageTexts.frame.help} isOpen={isOpen} onClose={onClose}>
    <dl className="facts">
      {pageTexts.frame.keys.map(([key, meaning]) => (
        <div key={key} className="contents">
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);
