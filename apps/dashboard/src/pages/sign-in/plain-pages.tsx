import { useEffect, type ReactNode } from 'react';
import { toErrorText } from '../../data/action.ts';
import { basePath } from '../../data/address.ts';
import { Button } from '../../parts/button.tsx';
import { Mark } from '../../parts/mark.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
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

/** Shown until a page for which nobody has to be signed in is loaded. */
export const PendingOutside = () => (
  <main className="centered-page">
    <Mark />
    <p role="status" className="text-ink-2">
      {texts.loading}
    </p>
  </main>
);

/** Shown in the frame until a page is loaded. */
export const PendingPage = () => (
  <div className="pending-page">
    <p role="status" className="sr-only">
      {texts.loading}
    </p>
    <Skeleton className="h-8 w-44" />
    <Skeleton className="h-72 w-full" />
  </div>
);

/** Shown until it is known who is signed in; `index.html` has the same for the time before any code is loaded. */
export const PendingFrame = () => (
  <div className="frame">
    <div className="rail">
      <Mark />
    </div>
    <main className="page">
      <PendingPage />
    </main>
  </div>
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
