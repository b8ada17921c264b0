import { useId, type ButtonHTMLAttributes, type MouseEvent, type ReactNode } from 'react';
import { Reasoned } from './reason.tsx';

export type ButtonKind = 'quiet' | 'primary' | 'danger' | 'destroy' | 'bare';

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  /**
   * `quiet` by default; `primary` for the main action, `danger` if it leads to a destructive one, `destroy` if it is
   * destructive.
   */
  kind?: ButtonKind;
  /**
   * Why it is disabled, in a sentence that says what to do. The button stays where it is and in the tab order, so that
   * everybody can find out why.
   */
  whyNot?: string | undefined;
  /** Its action is still running; it cannot be pressed twice. */
  isBusy?: boolean;
  /** Shown before the text, or alone: then `aria-label` names it. */
  icon?: ReactNode;
}

export const Button = ({ kind = 'quiet', whyNot, isBusy = false, icon, children, onClick, ...others }: ButtonProps) => {
  const reasonId = useId();
  const cannot = whyNot !== undefined || isBusy;
  const press = (event: MouseEvent<HTMLButtonElement>): void => {
    if (cannot) event.preventDefault();
    else onClick?.(event);
  };
  const button = (
    <button
      type="button"
      {...others}
      className={`button ${others.className ?? ''}`}
      data-kind={kind}
      data-icon-only={children === undefined ? '' : undefined}
      aria-disabled={cannot || undefined}
      aria-busy={isBusy || undefined}
      aria-describedby={whyNot === undefined ? others['aria-describedby'] : reasonId}
      onClick={press}
    >
      {isBusy ? null : icon}
      {children}
    </button>
  );
  if (whyNot === undefined) return button;
  return (
    <Reasoned id={reasonId} reason={whyNot}>
      {button}
    </Reasoned>
  );
};
