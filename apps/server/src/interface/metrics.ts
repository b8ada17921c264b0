import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Services } from '../services.ts';
import { assertAllowed, authenticateUser } from './http/authenticate.ts';
import { getCaller } from './http/caller.ts';
import type { RequestTimes } from './http/request-times.ts';

const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;

/**
 * A scraper on this machine needs no token, unless a public address is set: then a proxy on this machine may stand in
 * front, and everything seems to come from here.
 */
const isLocalScraper = (request: FastifyRequest, { config }: Services): boolean =>
  config.publicUrl === undefined &&
  LOOPBACK.test(request.socket.remoteAddress ?? '') &&
  request.headers.authorization === undefined &&
  request.headers['x-forwarded-for'] === undefined &&
  request.headers.forwarded === undefined;

/** `GET /metrics` for Prometheus: from this machine, or with an operator's token that can read. */
export const registerMetricsRoute = (app: FastifyInstance, services: Services, requestTimes: RequestTimes): void => {
  app.get('/metrics', { logLevel: 'warn' }, async (request, reply) => {
    if (!isLocalScraper(request, services)) {
      await authenticateUser(services, request, reply);
      assertAllowed(getCaller(request), { auth: 'operator', ability: 'read' });
    }
    return reply.type(services.metrics.contentType).send((await services.metrics.toText()) + requestTimes.toText());
  });
};
