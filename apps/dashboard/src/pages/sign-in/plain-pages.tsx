import { useEffect, type ReactNode } from 'react';
import { toErrorText } from '../../data/action.ts';
import { basePath } from '../../data/address.ts';
import { Button } from '../../parts/button.tsx';
import { Mark } from '../../parts/mark.tsx';
import { texts } from '../../texts/texts.ts';

export interface CenteredPageProps {
  title: string;
  children: ReactNode;
}

/** A page without the frame: one sheet in the middle. */
export const CenteredPage = ({ title, children }: CenteredPageProps) => {
  useEffect(() => {
    document.title = texts.pageTitle(title);
  }, [title]);
  return (
    <main className="centered-page">
      <Mark />
      <div className="centered-sheet">
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
};

/** Shown until it is known who is signed in. */
export const PendingPage = () => (
  <main className="centered-page">
    <Mark />
    <p role="status" className="text-ink-2">
      {texts.loading}
    </p>
  </main>
);

/** An unknown URL. */
export const MissingPage = () => (
  <CenteredPage title={texts.plain.notFound}>
    <p className="text-ink-2">{texts.plain.notFoundText}</p>
    <a className="link" href={`${basePath}/terminals`}>
      {texts.plain.toTerminals}
    </a>
  </CenteredPage>
);

/** A page that could not be loaded or rendered: after an update of the server its files have other names. */
export const BrokenPage = ({ error }: { error: unknown }) => (
  <CenteredPage title={texts.plain.broken}>
    <p className="text-ink-2">{texts.errors.unexpected}</p>
    <p className="field-note break-words">{toErrorText(error)}</p>
    <Button kind="primary" onClick={() => location.reload()}>
      {texts.plain.reload}
    </Button>
  </CenteredPage>
);
