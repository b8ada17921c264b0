import type { ReactNode } from 'react';

/** Tabs are links: each has its address, so that back, reload and sending it work. Give them the class `tab`. */
export const Tabs = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav className="tabs" aria-label={label}>
    {children}
  </nav>
);
