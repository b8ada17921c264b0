import { lazy, Suspense, useEffect, useState } from 'react';
import { forgetRequests, useRequests, useShownId } from './requests.ts';
import { isInTray } from './tray.ts';
import { useRuns } from './runs-data.ts';

const RunStrips = lazy(() => import('./run-strips.tsx').then(({ RunStrips: component }) => ({ default: component })));

/** What is in progress on many terminals, above every page; its code is loaded with the first of it. */
export const RunsRegion = () => {
  const runs = useRuns();
  const requests = useRequests();
  const shownId = useShownId();
  useEffect(() => forgetRequests, []);
  const isNeeded = runs.some(isInTray) || requests.length > 0 || shownId !== undefined;
  // It stays, so that it tells the end of the last one.
  const [isLoaded, setLoaded] = useState(false);
  if (isNeeded && !isLoaded) setLoaded(true);
  return isLoaded ? (
    <Suspense fallback={null}>
      <RunStrips runs={runs} requests={requests} shownId={shownId} />
    </Suspense>
  ) : null;
};
