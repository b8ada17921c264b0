import { Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

export interface BannerProps {
  kind: 'news' | 'warning' | 'failure';
  children: ReactNode;
  /** A button that does what the sentence says. */
  action?: ReactNode;
}

/** A sentence above the page that stays until it is no longer true. */
export const Banner = ({ kind, children, action }: BannerProps) => (
  <div className="banner" data-kind={kind} role={kind === 'news' ? 'status' : 'alert'}>
    {kind === 'news' ? <Info aria-hidden="true" /> : <TriangleAlert aria-hidden="true" />}
    <p>{children}</p>
    {action}
  </div>
);
