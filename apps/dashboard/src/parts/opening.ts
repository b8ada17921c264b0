import { useState } from 'react';

/**
 * Counts how often a dialog was opened. Use it as the `key` of the content: earlier input is then gone even when the
 * dialog is reopened before it has faded out, while its content is still mounted.
 */
export const useOpening = (isOpen: boolean): number => {
  const [last, setLast] = useState({ isOpen, opening: 1 });
  if (last.isOpen !== isOpen) setLast({ isOpen, opening: last.opening + (isOpen ? 1 : 0) });
  return last.opening;
};
