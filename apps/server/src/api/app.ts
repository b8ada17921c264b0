import { randomUUID } from 'node:crypto';
import { MAX_ANONYMOUS_BODY_BYTES } from '@berth/contract';
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { ServerConfig } from '../config.ts';
import type { Services } from '../services.ts';
import { registerDashboard } from './dashboard/dashboard.ts';
import { registerDocs } from './docs/docs.ts';
import { registerFlags } from './flags.ts';
import { registerHealthRoutes } from './health.ts';
import { registerInstaller } from './installer.ts';
import { acceptOnlyJson } from './http/body-parsers.ts';
import { createNameCheck, logRequests, refuseWorkWhileDraining, securityHeaders } from './http/hooks.ts';
import { createNotFoundHandler, handleError } from './http/error-handler.ts';
import { measureRequests } from './http/request-times.ts';
import type { RouteContext } from './http/route.ts';
import { serialiseLazily } from './http/serialiser.ts';
import { createRooms, limitAnswers, limitBodies } from './limits/room.ts';
import {
  answerBrokenPath,
  answerBrokenRequest,
  assertHeaders,
  httpOptions,
  KEEP_ALIVE_MS,
  limitConnections,
  MAX_HEADER_BYTES,
} from './limits/connections.ts';
import { createHostCallLimiter, createRateLimits } from './limits/rate-limits.ts';
import { SharedCounts } from './limits/shared-counts.ts';
import { limitSlowBodies } from './limits/slow-bodies.ts';
import { registerMetricsRoute } from './metrics.ts';
import { registerAgentRoutes } from './v1/agent.ts';
import { registerAuthRoutes } from './v1/auth.ts';
import { registerOwnAccountRoutes } from './v1/my/account.ts';
import { registerAllDealsRoutes } from './v1/my/deals.ts';
import { registerEventRoutes } from './v1/my/events.ts';
import { registerExpertRoutes } from './v1/my/experts.ts';
import { registerFileRoutes } from './v1/my/files.ts';
import { registerProjectRoutes } from './v1/my/projects.ts';
import { registerRiskBreachRoutes } from './v1/my/risk-breaches.ts';
import { registerRiskRuleRoutes } from './v1/my/risk-rules.ts';
import { registerAccountsOverviewRoutes } from './v1/my/trading/accounts/overview.ts';
import { registerBulkRunRoutes } from './v1/my/trading/bulk-runs.ts';
import { registerTradingStopRoutes } from './v1/my/trading/stop.ts';
import { registerTerminalRoutes } from './v1/my/trading/terminals.ts';
import { registerAccountRoutes } from './v1/my/trading/terminals/account.ts';
import { registerBulkRoutes } from './v1/my/trading/terminals/bulk.ts';
import { registerAccountTaskRoutes } from './v1/my/tasks.ts';
import { registerMoveRoutes } from './v1/my/trading/terminals/move.ts';
import { registerSnapshotRoutes } from './v1/my/trading/terminals/snapshots.ts';
import { registerDealRoutes } from './v1/my/trading/terminals/deals.ts';
import { registerScreenshotRoutes } from './v1/my/trading/terminals/screenshot.ts';
import { registerRegionRoutes } from './v1/my/trading/terminals/regions.ts';
import { registerTaskRoutes } from './v1/my/trading/terminals/tasks.ts';
import { registerScheduleRoutes } from './v1/my/schedules.ts';
import { registerViewRoutes } from './v1/my/views.ts';
import { registerAlertLinks } from './alert-links.ts';
import { registerOwnAuditLogRoutes } from './v1/my/audit-log.ts';
import { registerAuditLogRoutes } from './v1/operator/audit-log.ts';
import { registerAlertChannelRoutes } from './v1/my/alert-channels.ts';
import { registerAlertRuleRoutes } from './v1/my/alert-rules.ts';
import { registerAlertRoutes } from './v1/my/alerts.ts';
import { registerWebhookRoutes } from './v1/my/webhooks.ts';
import { registerHostRoutes } from './v1/operator/hosts.ts';
import { registerOperatorTerminalRoutes } from './v1/operator/terminals.ts';
import { registerJoinTokenRoutes } from './v1/operator/join-tokens.ts';
import { registerInvitationRoutes } from './v1/operator/invitations.ts';
import { registerUserRoutes } from './v1/operator/users.ts';
import { registerOperatorRegionRoutes } from './v1/operator/regions.ts';
import { registerBackupRoutes } from './v1/operator/backups.ts';
import { registerOperatorOverviewRoutes } from './v1/operator/overview.ts';
import { registerOperatorTaskRoutes } from './v1/operator/tasks.ts';

const resources: readonly ((context: RouteContext) => void)[] = [
  registerAuthRoutes,
  registerOwnAccountRoutes,
  registerProjectRoutes,
  registerViewRoutes,
  registerRiskRuleRoutes,
  registerRiskBreachRoutes,
  registerRegionRoutes,
  registerTerminalRoutes,
  registerAccountTaskRoutes,
  registerScreenshotRoutes,
  registerSnapshotRoutes,
  registerMoveRoutes,
  registerTaskRoutes,
  registerBulkRoutes,
  registerBulkRunRoutes,
  registerTradingStopRoutes,
  registerExpertRoutes,
  registerFileRoutes,
  registerEventRoutes,
  registerScheduleRoutes,
  registerAccountRoutes,
  registerDealRoutes,
  registerAllDealsRoutes,
  registerAccountsOverviewRoutes,
  registerWebhookRoutes,
  registerAlertChannelRoutes,
  registerAlertRuleRoutes,
  registerAlertRoutes,
  registerOperatorOverviewRoutes,
  registerBackupRoutes,
  registerOperatorTaskRoutes,
  registerOperatorTerminalRoutes,
  registerHostRoutes,
  registerJoinTokenRoutes,
  registerUserRoutes,
  registerInvitationRoutes,
  registerOwnAuditLogRoutes,
  registerAuditLogRoutes,
  registerOperatorRegionRoutes,
  registerAgentRoutes,
];

interface CreationOptions {
  log: FastifyBaseLogger;
  config: Pick<ServerConfig, 'trustedProxies'>;
}

const createInstance = ({ log: loggerInstance, config }: CreationOptions): FastifyInstance =>
  Fastify({
    loggerInstance,
    // `logRequests` writes the one line per request.
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    // Each route has its own; this is for paths that are none.
    bodyLimit: MAX_ANONYMOUS_BODY_BYTES,
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    http: httpOptions,
    // An id may be as long as the headers allow: it is then not found, like any other malformed one.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: answerBrokenPath,
  });

/**
 * Builds the HTTP API; the caller listens and closes.
 * @param dashboardDir the folder of the built dashboard, which may be missing
 * @param checkoutDir the folder that has docs/ and the built installer
 */
export const buildApp = async (
  services: Services,
  { dashboardDir, checkoutDir }: { dashboardDir: string; checkoutDir: string },
): Promise<FastifyInstance> => {
  const app = createInstance(services);
  // Input is checked by the route registration, which knows the order of the checks.
  app.setValidatorCompiler(() => () => true);
  serialiseLazily(app);
  app.setErrorHandler(handleError);
  app.decorateRequest('caller', null);
  app.decorateRequest('callingHost', null);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders).header('x-request-id', request.id);
    // Matched by route: a URL can be spelt in several ways.
    const { url = request.url } = request.routeOptions;
    if (url.startsWith('/v1/')) reply.header('cache-control', 'no-store');
    done();
  });
  const { connectionsPerAddress: places, trustedProxies } = services.config;
  limitConnections(app, { places, trustedProxies });
  app.decorate('bodyPace', limitSlowBodies(app));
  const rooms = createRooms();
  limitBodies(app, rooms.bodies);
  limitAnswers(app, rooms.answers);
  refuseWorkWhileDraining(app, services);
  const requestTimes = measureRequests(app);
  logRequests(app);
  app.addHook('onRequest', assertHeaders);
  app.addHook('onRequest', createNameCheck(services.config));
  acceptOnlyJson(app);
  registerHealthRoutes(app, services, rooms);
  registerMetricsRoute(app, services, { requestTimes, rooms });
  registerFlags(app);
  const { isRateLimited, rateWindowMs, publicUrl } = services.config;
  const counts = isRateLimited ? new SharedCounts(services.db, services.log, rateWindowMs) : undefined;
  app.addHook('onClose', async () => counts?.close());
  const limits = createRateLimits(counts);
  await registerDocs(app, { checkoutDir, publicUrl, limitSearch: limits.pageSearch });
  registerAlertLinks(app, services, limits);
  const installerSha256 = registerInstaller(app, services, checkoutDir);
  const context: RouteContext = { app, services, limits, countHostCall: createHostCallLimiter(), installerSha256 };
  for (const register of resources) register(context);
  const answerPage = registerDashboard(app, services, dashboardDir);
  const refuse = createNotFoundHandler(app);
  app.setNotFoundHandler((request, reply) => answerPage(request, reply) ?? refuse(request, reply));
  return app;
};
