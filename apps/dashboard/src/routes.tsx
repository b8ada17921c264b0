/**
 * The dashboard's routes. A page is one line here; its component is loaded when it is first shown, and its query
 * parameters are validated by the page's own `search.ts`, so that every filter can be bookmarked and shared.
 */
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { basePath } from './data/address.ts';
import { readForPage } from './data/query-client.ts';
import { isSignedIn, sessionQuery } from './data/session.ts';
import { hasSignInCode } from './data/sign-in-code.ts';
import { BrokenPage, MissingPage, PendingPage } from './pages/sign-in/plain-pages.tsx';
import { toAccountSearch } from './pages/account/search.ts';
import { toAlertsSearch } from './pages/alerts/search.ts';
import { toHostsSearch } from './pages/hosts/search.ts';
import { toProjectsSearch } from './pages/projects/search.ts';
import { toRiskSearch } from './pages/risk/search.ts';
import { toSignInSearch } from './pages/sign-in/search.ts';
import { toTasksSearch } from './pages/tasks/search.ts';
import { toTerminalSearch } from './pages/terminal/search.ts';
import { toTerminalsQuery } from './pages/terminals/list-query.ts';
import { toTerminalsSearch } from './pages/terminals/search.ts';
import { toWebhookSearch } from './pages/webhook/search.ts';
import { ToastRegion } from './parts/toast-region.tsx';

const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: () => (
    <>
      <Outlet />
      <ToastRegion />
    </>
  ),
  notFoundComponent: MissingPage,
  beforeLoad: ({ location }) => {
    // A sign-in link applies whatever page it opens, and whoever was signed in before.
    if (hasSignInCode() && location.pathname !== '/sign-in-link') redirect({ to: '/sign-in-link', throw: true });
  },
});

const signInPages = () => import('./pages/sign-in/sign-in-pages.tsx');

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: toSignInSearch,
  component: lazyRouteComponent(signInPages, 'SignInPage'),
});
const signInLink = createRoute({
  getParentRoute: () => root,
  path: '/sign-in-link',
  component: lazyRouteComponent(signInPages, 'SignInLinkPage'),
});
const register = createRoute({
  getParentRoute: () => root,
  path: '/create-account',
  component: lazyRouteComponent(signInPages, 'RegisterPage'),
});
const forgotten = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyRouteComponent(signInPages, 'ForgottenPage'),
});

const toSignIn = ({ pathname, href }: { pathname: string; href: string }): void => {
  const isHome = pathname === '/terminals';
  redirect({ to: '/sign-in', search: isHome ? {} : { back: href }, replace: true, throw: true });
};

/**
 * Everything below requires a signed-in user. Once there is one, the user's name and the page's first data are
 * requested before the page's code: that is many files, and a browser requests six at a time from a server.
 */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'in',
  component: lazyRouteComponent(() => import('./shell/shell.tsx'), 'Shell'),
  pendingComponent: PendingPage,
  beforeLoad: async ({ context: { client }, location, cause }) => {
    const live = import('./data/live/live.ts');
    if (!(await isSignedIn(client))) toSignIn(location);
    // Before anything is read: what is read before the stream runs has to be read again.
    if (cause !== 'preload') (await live).ensureLive(client);
    void client.prefetchQuery(sessionQuery);
  },
  loader: async ({ context: { client }, location }) => {
    const user = client.getQueryData(sessionQuery.queryKey) ?? (await readForPage(client, sessionQuery));
    if (!user) toSignIn(location);
  },
});

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    redirect({ to: '/terminals', replace: true, throw: true });
  },
});

const terminals = createRoute({
  getParentRoute: () => shell,
  path: '/terminals',
  validateSearch: toTerminalsSearch,
  // Not awaited: the page shows what it is waiting for.
  beforeLoad: ({ context: { client }, search }) => void client.prefetchQuery(toTerminalsQuery(search)),
  component: lazyRouteComponent(() => import('./pages/terminals/terminals-page.tsx'), 'TerminalsPage'),
});

const projects = createRoute({
  getParentRoute: () => shell,
  path: '/projects',
  validateSearch: toProjectsSearch,
  component: lazyRouteComponent(() => import('./pages/projects/projects-page.tsx'), 'ProjectsPage'),
});

const account = createRoute({
  getParentRoute: () => shell,
  path: '/account',
  validateSearch: toAccountSearch,
  component: lazyRouteComponent(() => import('./pages/account/account-page.tsx'), 'AccountPage'),
});

const webhook = createRoute({
  getParentRoute: () => shell,
  path: '/account/webhooks/$id',
  validateSearch: toWebhookSearch,
  component: lazyRouteComponent(() => import('./pages/webhook/webhook-page.tsx'), 'WebhookPage'),
});

const tasks = createRoute({
  getParentRoute: () => shell,
  path: '/tasks',
  validateSearch: toTasksSearch,
  component: lazyRouteComponent(() => import('./pages/tasks/tasks-page.tsx'), 'TasksPage'),
});

const alerts = createRoute({
  getParentRoute: () => shell,
  path: '/alerts',
  validateSearch: toAlertsSearch,
  component: lazyRouteComponent(() => import('./pages/alerts/alerts-page.tsx'), 'AlertsPage'),
});

const risk = createRoute({
  getParentRoute: () => shell,
  path: '/risk',
  validateSearch: toRiskSearch,
  component: lazyRouteComponent(() => import('./pages/risk/risk-page.tsx'), 'RiskPage'),
});

const hosts = createRoute({
  getParentRoute: () => shell,
  path: '/hosts',
  validateSearch: toHostsSearch,
  component: lazyRouteComponent(() => import('./pages/hosts/hosts-page.tsx'), 'HostsPage'),
});

const terminal = createRoute({
  getParentRoute: () => shell,
  path: '/terminals/$id',
  validateSearch: toTerminalSearch,
  component: lazyRouteComponent(() => import('./pages/terminal/terminal-page.tsx'), 'TerminalPage'),
});

const tree = root.addChildren([
  signIn,
  signInLink,
  register,
  forgotten,
  home,
  shell.addChildren([terminals, terminal, tasks, alerts, risk, projects, hosts, account, webhook]),
]);

export const createDashboardRouter = (client: QueryClient) =>
  createRouter({
    routeTree: tree,
    context: { client },
    ...(basePath === '' ? {} : { basepath: basePath }),
    defaultPreload: 'intent',
    defaultErrorComponent: BrokenPage,
    defaultPendingMs: 300,
    defaultPendingMinMs: 0,
    scrollRestoration: true,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createDashboardRouter>;
  }
}
