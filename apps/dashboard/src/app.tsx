/** The pages for signing in, or the dashboard: which of the two is loaded depends on the URL and on the session. */
import { useQueryClient } from '@tanstack/react-query';
import { Component, lazy, Suspense, useEffect, useState, type ReactNode } from 'react';
import { getPlace, goTo, isOutside, toSignInPlace, usePath } from './data/place.ts';
import { isSignedIn, sessionQuery } from './data/session.ts';
import { BrokenPage, PendingFrame, PendingOutside } from './pages/sign-in/plain-pages.tsx';
import { LimitedBanner } from './parts/limited-banner.tsx';
import { ToastRegion } from './parts/toast-region.tsx';

const loadDashboard = () => import('./routes.tsx');

const Dashboard = lazy(async () => ({ default: (await loadDashboard()).Dashboard }));
const OutsidePage = lazy(async () => ({ default: (await import('./pages/sign-in/sign-in-pages.tsx')).OutsidePage }));

/** The dashboard for whoever is signed in, the sign-in page for everybody else. */
const Inside = () => {
  const client = useQueryClient();
  const [state, setState] = useState<'unknown' | 'in' | { failure: unknown }>(() =>
    client.getQueryData(sessionQuery.queryKey) ? 'in' : 'unknown',
  );
  useEffect(() => {
    if (state !== 'unknown') return;
    void loadDashboard();
    isSignedIn(client)
      .then((isIn) => (isIn ? setState('in') : goTo(toSignInPlace(getPlace()), { replaces: true })))
      .catch((failure: unknown) => setState({ failure }));
  }, [client, state]);
  if (typeof state === 'object') return <BrokenPage error={state.failure} />;
  return state === 'in' ? <Dashboard /> : <PendingFrame />;
};

const Place = () => {
  const path = usePath();
  if (!isOutside(path)) {
    return (
      <Suspense fallback={<PendingFrame />}>
        <Inside />
      </Suspense>
    );
  }
  return (
    <Suspense fallback={<PendingOutside />}>
      {/* What follows the form is loaded while the server checks it. */}
      <div className="contents" onSubmit={() => void loadDashboard()}>
        <OutsidePage path={path} />
      </div>
    </Suspense>
  );
};

/** Shows what went wrong, instead of an empty page. */
class Boundary extends Component<{ children: ReactNode }, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    return 'error' in this.state ? <BrokenPage error={this.state.error} /> : this.props.children;
  }
}

export const App = () => (
  <Boundary>
    <LimitedBanner />
    <Place />
    <ToastRegion />
  </Boundary>
);
