import { useId, useRef, type ButtonHTMLAttributes, type MouseEvent, type ReactNode } from 'react';
import { useIsAway } from '../data/presence.ts';
import { texts } from '../texts/texts.ts';

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
  /**
   * Its action is still running; it cannot be pressed twice. A button that has this asks something of the server, so it
   * is disabled while there is no contact.
   */
  isBusy?: boolean | undefined;
  /** It steps, as to the next page, or adds one more: each of two quick clicks counts. */
  isStep?: boolean;
  /** Shown before the text, or alone: then `aria-label` names it. */
  icon?: ReactNode;
}

/** Between the reason and its button, and the edge of the window. */
const GAP_PX = 6;

const place = (reason: HTMLElement, button: HTMLElement): void => {
  const { top, right, bottom } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = reason;
  const above = top - height - GAP_PX;
  reason.style.top = `${above < GAP_PX ? bottom + GAP_PX : above}px`;
  reason.style.left = `${Math.max(GAP_PX, Math.min(right - width, innerWidth - width - GAP_PX))}px`;
};

interface ReasonedProps {
  id: string;
  /** Why the button is disabled. */
  reason: string;
  /** The button, which is described by the id. */
  children: ReactNode;
}

/**
 * A disabled button with the reason, shown on hover and focus. It is positioned above the whole page, so that no
 * scrolling sheet or dialog clips it.
 */
const Reasoned = ({ id, reason, children }: ReasonedProps) => {
  const text = useRef<HTMLSpanElement>(null);
  const show = ({ currentTarget }: { currentTarget: HTMLElement }): void => {
    if (!text.current) return;
    text.current.showPopover();
    place(text.current, currentTarget);
  };
  const hide = (): void => text.current?.hidePopover();
  return (
    <span className="reasoned" onPointerEnter={show} onPointerLeave={hide} onFocus={show} onBlur={hide}>
      {children}
      <span className="reason" id={id} popover="manual" ref={text}>
        {reason}
      </span>
    </span>
  );
};

export const Button = (props: ButtonProps) => {
  const { kind = 'quiet', whyNot, isBusy, isStep = false, icon, children, onClick, ...others } = props;
  const reasonId = useId();
  const isOff = useIsAway() && isBusy !== undefined;
  const cannot = whyNot !== undefined || isBusy || isOff;
  // Whoever double-clicks wants it once; the first click may have been answered by the second one.
  const isOnce = isBusy !== undefined || (children !== undefined && !isStep);
  const press = (event: MouseEvent<HTMLButtonElement>): void => {
    if (cannot || (isOnce && event.detail > 1)) event.preventDefault();
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
      title={isOff ? texts.noContact : others.title}
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
