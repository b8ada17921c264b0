import type { ReactNode } from 'react';

export interface EmptyStateProps {
  icon?: ReactNode;
  title: string;
  /** What is missing, and what to do. */
  children?: ReactNode;
  /** The button that does it. */
  action?: ReactNode;
}

export const EmptyState = ({ icon, title, children, action }: EmptyStateProps) => (
  <div className="empty">
    {icon}
    <h2>{title}</h2>
    {children === undefined ? null : <p>{children}</p>}
    {action}
  </div>
);
