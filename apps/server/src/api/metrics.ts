import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CoreServices, IdentityServices, ProcessServices, RouteServices } from '../services.ts';
import { assertAllowed, authenticateUser } from './http/authenticate.ts';
import { getCaller } from './http/caller.ts';
import type { RequestTimes } from './http/request-times.ts';
import type { Rooms } from './limits/room.ts';

const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;

/**
 * A scraper on this machine needs no token, unless a public URL is set: then there may be a proxy on this machine, and
 * every request seems to come from here.
 */
const isLocalScraper = (request: FastifyRequest, { config }: Pick<CoreServices, 'config'>): boolean =>
  config.publicUrl === undefined &&
  LOOPBACK.test(request.socket.remoteAddress ?? '') &&
  request.headers.authorization === undefined &&
  request.headers['x-forwarded-for'] === undefined &&
  request.headers.forwarded === undefined;

type Watched = Pick<ProcessServices & RouteServices, 'metrics' | 'events'>;

/** What requests hold: each falls to zero when there are no requests. */
const watchRooms = ({ metrics, events }: Watched, { bodies, answers }: Rooms): void => {
  metrics.addGauge('berth_room_used_bytes', 'Memory that bodies of requests, and answers, take', 'room', () => ({
    bodies: bodies.takenBytes,
    answers: answers.takenBytes,
  }));
  metrics.addGauge('berth_room_limit_bytes', 'Memory that they may take', 'room', () => ({
    bodies: bodies.limitBytes,
    answers: answers.limitBytes,
  }));
  metrics.addGauge('berth_event_streams', 'Streams of live events that are open', undefined, () => events.count);
};

/** `GET /metrics` for Prometheus: from this machine, or with an operator's token that can read. */
export const registerMetricsRoute = (
  app: FastifyInstance,
  services: Watched & IdentityServices & Pick<CoreServices, 'config'>,
  { requestTimes, rooms }: { requestTimes: RequestTimes; rooms: Rooms },
): void => {
  watchRooms(services, rooms);
  app.get('/metrics', { logLevel: 'warn' }, async (request, reply) => {
    if (!isLocalScraper(request, services)) {
      await authenticateUser(services, request, reply);
      assertAllowed(getCaller(request), { auth: 'operator', ability: 'read', method: 'GET' });
    }
    return reply.type(services.metrics.contentType).send((await services.metrics.toText()) + requestTimes.toText());
  });
};
