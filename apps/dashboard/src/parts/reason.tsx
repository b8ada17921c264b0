import { useRef, type ReactNode } from 'react';

/** Between the reason and its button, and the edge of the window. */
const GAP_PX = 6;

const place = (reason: HTMLElement, button: HTMLElement): void => {
  const { top, right, bottom } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = reason;
  const above = top - height - GAP_PX;
  reason.style.top = `${above < GAP_PX ? bottom + GAP_PX : above}px`;
  reason.style.left = `${Math.max(GAP_PX, Math.min(right - width, innerWidth - width - GAP_PX))}px`;
};

export interface ReasonedProps {
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
export const Reasoned = ({ id, reason, children }: ReasonedProps) => {
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
