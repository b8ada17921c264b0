import type { FastifyInstance } from 'fastify';

/**
 * One line a request, after its answer. The route's pattern stands for its path: paths and query strings hold ids and
 * what people search for, headers and bodies hold secrets, and none of them is written. Agents call every few seconds, so
 * what they ask for in vain or by routine is written at debug level.
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
