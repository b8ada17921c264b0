/** The entry point: the cache, the routes, and leaving when a session ends. */
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { leave, onLeave } from './data/leave.ts';
import { createQueryClient } from './data/query-client.ts';
import { endSession } from './data/session.ts';
import { LimitedBanner } from './parts/limited-banner.tsx';
import { createDashboardRouter } from './routes.tsx';
import './style/base.css';
import './style/theme.ts';

const client = createQueryClient({ onSignedOut: () => leave('expired') });
const router = createDashboardRouter(client);

onLeave((why) => {
  const { pathname, href } = router.state.location;
  const isOutside = /^\/(sign-in|create-account|forgot-password)/.test(pathname);
  endSession(client);
  if (isOutside && why === 'expired') return;
  const back = why === 'expired' ? { back: href } : {};
  void router.navigate({ to: '/sign-in', search: { why, ...back }, replace: why === 'expired' });
});

const place = document.getElementById('app');
if (!place) throw new Error('the page has no place for the dashboard');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <LimitedBanner />
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
