import { accountRoutes } from './account.ts';
import { alertRoutes } from './alerts.ts';
import { auditRoutes } from './audit.ts';
import { authRoutes } from './auth.ts';
import { bulkRunRoutes } from './bulk-runs.ts';
import { eventRoutes } from './events.ts';
import { fileRoutes } from './files.ts';
import { hostRoutes } from './hosts.ts';
import { operatorTerminalRoutes } from './operator-terminals.ts';
import { overviewRoutes } from './overview.ts';
import { projectRoutes } from './projects.ts';
import type { RouteContract } from './route.ts';
import { regionRoutes } from './regions.ts';
import { riskRoutes } from './risk.ts';
import { taskRoutes } from './tasks.ts';
import { terminalRoutes } from './terminals.ts';
import { scheduleRoutes } from './schedules.ts';
import { moveRoutes } from './moves.ts';
import { snapshotRoutes } from './snapshots.ts';
import { tradingStopRoutes } from './trading-stop.ts';
import { tradingRoutes } from './trading.ts';
import { invitationRoutes } from './invitations.ts';
import { userRoutes } from './users.ts';
import { viewRoutes } from './views.ts';
import { whyRoutes } from './why.ts';
import { webhookRoutes } from './webhooks.ts';

/** The routes that people and their programs call, in the order of the documentation. */
export const publicGroups = {
  authRoutes,
  accountRoutes,
  projectRoutes,
  viewRoutes,
  terminalRoutes,
  snapshotRoutes,
  moveRoutes,
  taskRoutes,
  bulkRunRoutes,
  tradingStopRoutes,
  fileRoutes,
  eventRoutes,
  scheduleRoutes,
  tradingRoutes,
  riskRoutes,
  webhookRoutes,
  alertRoutes,
  hostRoutes,
  operatorTerminalRoutes,
  whyRoutes,
  userRoutes,
  invitationRoutes,
  auditRoutes,
  regionRoutes,
  overviewRoutes,
} as const satisfies Record<string, Record<string, RouteContract>>;

/** Every one of them by its name, which is the name of the operation in the OpenAPI document. */
export const publicOperations: Readonly<Record<string, RouteContract>> = Object.assign(
  {},
  ...Object.values(publicGroups),
) as Record<string, RouteContract>;
