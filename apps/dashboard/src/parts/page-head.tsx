import { useEffect, type ReactNode } from 'react';
import { texts } from '../texts/texts.ts';

export interface PageHeadProps {
  title: string;
  /** The parent page, above the title. */
  crumb?: ReactNode;
  /** Next to the title: filters, a status, a sentence. */
  children?: ReactNode;
  /** Buttons at the end of the line. */
  tools?: ReactNode;
}

/** The title of a page, in the page and in the browser tab. */
export const PageHead = ({ title, crumb, children, tools }: PageHeadProps) => {
  useEffect(() => {
    document.title = texts.pageTitle(title);
  }, [title]);
  return (
    <header className="page-head">
      {crumb === undefined ? null : <p className="crumb">{crumb}</p>}
      <h1 className="min-w-0 truncate">{title}</h1>
      {children}
      {tools === undefined ? null : <div className="page-tools">{tools}</div>}
    </header>
  );
};
