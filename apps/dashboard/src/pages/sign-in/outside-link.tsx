import type { MouseEvent, ReactNode } from 'react';
import { basePath } from '../../data/address.ts';
import { goTo, type OutsidePath } from '../../data/place.ts';

const isPlainClick = ({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean =>
  button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey;

export interface OutsideLinkProps {
  to: OutsidePath;
  className?: string;
  children: ReactNode;
}

/** A link to a page that needs nobody signed in. */
export const OutsideLink = ({ to, className = '', children }: OutsideLinkProps) => {
  const follow = (event: MouseEvent): void => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    goTo(to);
  };
  return (
    <a href={basePath + to} className={`link ${className}`} onClick={follow}>
      {children}
    </a>
  );
};
