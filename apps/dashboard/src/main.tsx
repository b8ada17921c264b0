/** The entry point: the cache, and leaving when a session ends. */
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { leave, onLeave } from './data/leave.ts';
import { getPath, getPlace, goTo, isOutside, toSignInPlace } from './data/place.ts';
import { createQueryClient } from './data/query-client.ts';
import { endSession } from './data/session.ts';
import { hasLinkCode } from './data/link-code.ts';
import './style/base.css';
import './style/theme.ts';

const client = createQueryClient({ onSignedOut: leave });

onLeave((why) => {
  endSession(client);
  if (why !== 'expired' && why !== 'suspended') goTo(toSignInPlace('/', why));
  else if (!isOutside(getPath())) goTo(toSignInPlace(getPlace(), why), { replaces: true });
});

// A link applies whatever page it opens, and whoever was signed in before.
if (hasLinkCode('sign-in')) goTo('/sign-in-link', { replaces: true });
if (hasLinkCode('password')) goTo('/set-password', { replaces: true });
if (hasLinkCode('invitation')) goTo('/accept-invitation', { replaces: true });

const place = document.getElementById('app');
if (!place) throw new Error('the page has no place for the dashboard');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
