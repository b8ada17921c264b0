import { lazy, Suspense, useEffect, useState } from 'react';
import { forgetRequests, useRequests, useShownId } from './requests.ts';
import { isInTray } from './run.ts';
import { useRuns } from './runs-data.ts';

const RunStrips = lazy(() => import('./run-strips.tsx').then(({ RunStrips: component }) => ({ default: component })));

/** Runs on many terminals, above every page; the code is loaded with the first one. */
export const RunsRegion = () => {
  const runs = useRuns();
  const requests = useRequests();
  const shownId = useShownId();
  useEffect(() => forgetRequests, []);
  const isNeeded = runs.some(isInTray) || requests.length > 0 || shownId !== undefined;
  // It stays loaded, so that it can announce the end of the last one.
  const [isLoaded, setLoaded] = useState(false);
  if (isNeeded && !isLoaded) setLoaded(true);
  return isLoaded ? (
    <Suspense fallback={null}>
      <RunStrips runs={runs} requests={requests} shownId={shownId} />
    </Suspense>
  ) : null;
};
