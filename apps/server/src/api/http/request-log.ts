import type { FastifyInstance } from 'fastify';

/**
 * One line per request, after its answer. The route's pattern is logged instead of the path: paths and query strings
 * hold ids and search terms, headers and bodies hold secrets, and none of them is written. Agents call every few
 * seconds, so their empty and routine calls are logged at debug level.
 */
export const logRequests = (app: FastifyInstance): void => {
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, callingHost } = request;
    const level = callingHost && reply.statusCode < 400 ? 'debug' : 'info';
    request.log[level](
      {
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        userId: caller?.user.id,
        hostId: callingHost?.id,
      },
      'request',
    );
    done();
  });
};
