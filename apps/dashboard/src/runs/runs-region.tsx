import { lazy, Suspense, useEffect } from 'react';
import { forgetRuns, useRuns } from './store.ts';

const RunStrips = lazy(() => import('./run-strip.tsx').then(({ RunStrips: component }) => ({ default: component })));

/** What is under way on many terminals; loaded with the first of it, forgotten with the session. */
export const RunsRegion = () => {
  const isNeeded = useRuns().length > 0;
  useEffect(() => forgetRuns, []);
  return isNeeded ? (
    <Suspense fallback={null}>
      <RunStrips />
    </Suspense>
  ) : null;
};
