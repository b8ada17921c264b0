/**
 * The routes of the dashboard for whoever is signed in. A page is one line here; its component is loaded when it is first shown, and its query
 * parameters are validated by the page's own `search.ts`, so that every filter can be bookmarked and shared.
 */
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import {
  createBrowserHistory,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  RouterProvider,
} from '@tanstack/react-router';
import { useState } from 'react';
import { basePath } from './data/address.ts';
import { leave } from './data/leave.ts';
import { ensureLive } from './data/live/live.ts';
import { readForPage } from './data/query-client.ts';
import { sessionQuery } from './data/session.ts';
import { BrokenPage, MissingPage, PendingFrame, PendingPage } from './pages/sign-in/plain-pages.tsx';
import { toAuditSearch } from './parts/audit/search.ts';
import { toAccountSearch } from './pages/account/search.ts';
import { toAllTerminalsSearch } from './pages/all-terminals/search.ts';
import { toAlertsSearch } from './pages/alerts/search.ts';
import { toHostsSearch } from './pages/hosts/search.ts';
import { toProjectsSearch } from './pages/projects/search.ts';
import { toRiskSearch } from './pages/risk/search.ts';
import { toTasksSearch } from './pages/tasks/search.ts';
import { toTerminalSearch } from './pages/terminal/search.ts';
import { toTerminalsQuery } from './pages/terminals/list-query.ts';
import { toTerminalsSearch } from './pages/terminals/search.ts';
import { toUsersSearch } from './pages/users/search.ts';
import { toWebhookSearch } from './pages/webhook/search.ts';
import { Shell } from './shell/shell.tsx';

const root = createRootRouteWithContext<{ client: QueryClient }>()({
  notFoundComponent: MissingPage,
  pendingComponent: PendingFrame,
});

/**
 * Everything below requires a signed-in user. Once there is one, the user's name and the page's first data are
 * requested before the page's code: that is many files, and a browser requests six at a time from a server.
 */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'in',
  component: Shell,
  pendingComponent: PendingFrame,
  pendingMs: 0,
  beforeLoad: ({ context: { client }, cause }) => {
    // Before anything is read: what is read before the stream runs has to be read again.
    if (cause !== 'preload') ensureLive(client);
    void client.prefetchQuery(sessionQuery);
  },
  loader: async ({ context: { client } }) => {
    const user = client.getQueryData(sessionQuery.queryKey) ?? (await readForPage(client, sessionQuery));
    if (!user) leave('expired');
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

const imports = createRoute({
  getParentRoute: () => shell,
  path: '/terminals/import',
  component: lazyRouteComponent(() => import('./pages/import/import-page.tsx'), 'ImportPage'),
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

const schedules = createRoute({
  getParentRoute: () => shell,
  path: '/tasks/schedules',
  component: lazyRouteComponent(() => import('./pages/tasks/schedules/schedules-page.tsx'), 'SchedulesPage'),
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

const breach = createRoute({
  getParentRoute: () => shell,
  path: '/risk/breaches/$id',
  component: lazyRouteComponent(() => import('./pages/risk/breach/breach-page.tsx'), 'BreachPage'),
});

const overview = createRoute({
  getParentRoute: () => shell,
  path: '/overview',
  component: lazyRouteComponent(() => import('./pages/overview/overview-page.tsx'), 'OverviewPage'),
});

const allTerminals = createRoute({
  getParentRoute: () => shell,
  path: '/all-terminals',
  validateSearch: toAllTerminalsSearch,
  component: lazyRouteComponent(() => import('./pages/all-terminals/all-terminals-page.tsx'), 'AllTerminalsPage'),
});

const users = createRoute({
  getParentRoute: () => shell,
  path: '/users',
  validateSearch: toUsersSearch,
  component: lazyRouteComponent(() => import('./pages/users/users-page.tsx'), 'UsersPage'),
});

const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit-log',
  validateSearch: toAuditSearch,
  component: lazyRouteComponent(() => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
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
  home,
  shell.addChildren([
    terminals,
    imports,
    terminal,
    tasks,
    schedules,
    alerts,
    risk,
    breach,
    projects,
    overview,
    allTerminals,
    users,
    hosts,
    audit,
    account,
    webhook,
  ]),
]);

/** One for all routers: it watches the history of the browser for good. */
const history = createBrowserHistory();

const createDashboardRouter = (client: QueryClient) =>
  createRouter({
    history,
    routeTree: tree,
    context: { client },
    ...(basePath === '' ? {} : { basepath: basePath }),
    defaultPreload: 'intent',
    defaultErrorComponent: BrokenPage,
    defaultPendingComponent: PendingPage,
    defaultPendingMs: 300,
    defaultPendingMinMs: 0,
    scrollRestoration: true,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createDashboardRouter>;
  }
}

/** The pages for which somebody has to be signed in. Nothing of a router outlasts a session. */
export const Dashboard = () => {
  const client = useQueryClient();
  const [router] = useState(() => createDashboardRouter(client));
  return <RouterProvider router={router} />;
};
