import type { FastifyInstance } from 'fastify';

/**
 * One line a request, after its answer. The route's pattern stands for its path: paths and query strings hold ids and
 * what people search for, headers and bodies hold secrets, and none of them is written.
 */
export const logRequests = (app: FastifyInstance): void => {
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, callingHost } = request;
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        ...(caller ? { userId: caller.user.id } : {}),
        ...(callingHost ? { hostId: callingHost.id } : {}),
      },
      'request',
    );
    done();
  });
};
