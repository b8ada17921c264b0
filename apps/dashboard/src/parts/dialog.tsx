import type { ReactNode } from 'react';
import { texts } from '../texts/texts.ts';
import { Button, type ButtonProps } from './button.tsx';
import { laterWhenOpen } from './later.tsx';

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

/** Covers the page, traps the focus, and closes with Escape. */
export const Dialog = laterWhenOpen<DialogProps>(async () => (await import('./dialog-frame.tsx')).DialogFrame);

/** The buttons of a form in a dialog: one that closes, and one that submits. */
export const FormFoot = ({ onClose, ...send }: { onClose: () => void } & ButtonProps) => (
  <div className="dialog-foot">
    <Button onClick={onClose}>{texts.cancel}</Button>
    <Button type="submit" kind="primary" {...send} />
  </div>
);
