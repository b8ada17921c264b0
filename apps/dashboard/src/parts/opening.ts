import { useState } from 'react';

/**
 * Which opening of a dialog this is. Give it to the content as its `key`: what was typed at the last opening is then gone
 * also when the dialog is opened again before it has faded, while its content is still there.
 */
export const useOpening = (isOpen: boolean): number => {
  const [last, setLast] = useState({ isOpen, opening: 1 });
  if (last.isOpen !== isOpen) setLast({ isOpen, opening: last.opening + (isOpen ? 1 : 0) });
  return last.opening;
};
