import { texts } from '../texts/texts.ts';
import { Button, type ButtonProps } from './button.tsx';
import type { DialogProps } from './dialog-frame.tsx';
import { laterWhenOpen } from './later.tsx';

/** Covers the page, traps the focus, and closes with Escape. */
export const Dialog = laterWhenOpen<DialogProps>(async () => (await import('./dialog-frame.tsx')).DialogFrame);

/** The buttons of a form in a dialog: one that closes, and one that submits. */
export const FormFoot = ({ onClose, ...send }: { onClose: () => void } & ButtonProps) => (
  <div className="dialog-foot">
    <Button onClick={onClose}>{texts.cancel}</Button>
    <Button type="submit" kind="primary" {...send} />
  </div>
);
