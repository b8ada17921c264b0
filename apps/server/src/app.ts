import { randomUUID } from 'node:crypto';
import { errorTable } from '@berth/contract';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { registerAccountRoutes } from './account/routes.ts';
import { registerAgentRoutes } from './hosts/agent-routes.ts';
import { registerAuthRoutes } from './auth/routes.ts';
import { registerDocs } from './docs/docs.ts';
import { registerFileRoutes } from './files/routes.ts';
import { registerHealthRoutes } from './http/health.ts';
import { registerHostRoutes } from './hosts/routes.ts';
import { createNotFoundHandler, handleError, toErrorBody } from './http/error-handler.ts';
import { AppError } from './http/errors.ts';
import { createRateLimits } from './http/rate-limits.ts';
import { logRequests } from './http/request-log.ts';
import type { RouteContext } from './http/route.ts';
import { registerMetricsRoute } from './metrics/routes.ts';
import { registerNotificationRoutes } from './notifications/routes.ts';
import { registerProjectRoutes } from './projects/routes.ts';
import { registerRegionRoutes } from './regions/routes.ts';
import type { Services } from './services.ts';
import { registerTaskRoutes } from './tasks/routes.ts';
import { registerTerminalRoutes } from './terminals/routes.ts';
import { registerTokenRoutes } from './tokens/routes.ts';

const BODY_LIMIT_BYTES = 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
/** A request that is not complete by then is cut: a slow sender cannot hold a socket for ever. */
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 72_000;

const resources: readonly ((context: RouteContext) => void)[] = [
  registerAuthRoutes,
  registerAccountRoutes,
  registerTokenRoutes,
  registerNotificationRoutes,
  registerProjectRoutes,
  registerRegionRoutes,
  registerTerminalRoutes,
  registerTaskRoutes,
  registerFileRoutes,
  registerHostRoutes,
  registerAgentRoutes,
];

/** What the HTTP parser refuses never becomes a request; it still gets the interface's kind of answer. */
const answerBrokenRequest = (
  error: { code?: string },
  socket: { writable: boolean; end(text: string): void; destroy(): void },
): void => {
  if (!socket.writable) return socket.destroy();
  const code = error.code === 'HPE_HEADER_OVERFLOW' ? 'header_too_large' : 'malformed_request';
  const body = JSON.stringify(toErrorBody(new AppError(code)));
  const head = `HTTP/1.1 ${errorTable[code].status} Bad Request\r\nContent-Type: application/json\r\nX-Error-Code: ${code}`;
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
};

const createInstance = ({ log }: Services): FastifyInstance =>
  Fastify({
    loggerInstance: log satisfies FastifyBaseLogger,
    // http/request-log.ts writes the one line a request.
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: 20_000 },
    routerOptions: { maxParamLength: 500 },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket),
    frameworkErrors: (error, request, reply) => void handleError(error, request, reply),
  });

/** An empty JSON body counts as `{}`; everything else is parsed as Fastify does, prototype poisoning refused. */
const acceptEmptyJson = (app: FastifyInstance): void => {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text.trim() === '') done(null, {});
    else
      void parseJson(request, text, (error, body) => (error ? done(new AppError('malformed_json')) : done(null, body)));
  });
};

/** Builds the HTTP interface; the caller listens and closes. */
export const buildApp = async (services: Services): Promise<FastifyInstance> => {
  const app = createInstance(services);
  // Input is checked by the route registration, which knows the order of the checks.
  app.setValidatorCompiler(() => () => true);
  app.setErrorHandler(handleError);
  app.decorateRequest('caller', null);
  app.decorateRequest('callingHost', null);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  services.metrics.observe(app);
  logRequests(app);
  await app.register(helmet, { contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } });
  await app.register(rateLimit, { global: false, cache: 50_000 });
  acceptEmptyJson(app);
  registerHealthRoutes(app, services);
  registerMetricsRoute(app, services);
  await registerDocs(app);
  const context: RouteContext = { app, services, limits: createRateLimits(app, services.config.isRateLimited) };
  for (const register of resources) register(context);
  app.setNotFoundHandler(createNotFoundHandler(app));
  return app;
};
