import type { HTMLAttributes, ReactNode } from 'react';
import { useRoom } from './room.ts';

/** A surface for a table or a list, without padding. */
export const Sheet = ({ className = '', ...others }: HTMLAttributes<HTMLDivElement>) => (
  <div className={`sheet ${className}`} {...others} />
);

export interface CardProps extends Omit<HTMLAttributes<HTMLElement>, 'title'> {
  title?: ReactNode;
}

/** A surface with padding, for one subject. */
export const Card = ({ title, className = '', children, ...others }: CardProps) => (
  <section className={`card ${className}`} {...others}>
    {title === undefined ? null : <h2>{title}</h2>}
    {children}
  </section>
);

/** A large figure, with its meaning below. */
export const Fact = ({ value, children }: { value: ReactNode; children: ReactNode }) => (
  <div className="fact">
    <b>{value}</b>
    <small>{children}</small>
  </div>
);

/** The bar for the selection, at the bottom; `label` says how many are selected. */
export const Dock = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="dock" role="region" aria-label={label} ref={useRoom('--dock')}>
    <b aria-live="polite">{label}</b>
    {children}
  </div>
);
