import type { ReactNode } from 'react';

/** Tabs are links: each has a URL, so that back, reload and sharing work. Give them the class `tab`. */
export const Tabs = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav className="tabs" aria-label={label}>
    {children}
  </nav>
);
