import { eventRoutes } from '@berth/contract';
import { AppError } from '../../../errors.ts';
import { onAnswerEnd } from '../../http/answer-end.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';
import { EventStream } from './event-stream.ts';

const RETRY_AFTER_S = 5;

export const registerEventRoutes = (context: RouteContext): void => {
  const { events, draining } = context.services;
  registerRoute(context, eventRoutes.watchEvents, {
    handle: async ({ caller, request, reply }) => {
      const retry = { retryAfterSeconds: RETRY_AFTER_S };
      if (draining.signal.aborted) throw new AppError('unavailable', retry);
      if (events.isFull(caller.user.id)) throw new AppError('too_many_requests', retry);
      reply.type('text/event-stream').header('cache-control', 'no-store').header('x-accel-buffering', 'no');
      // By this a reader knows from when on silence is a loss.
      reply.header('x-heartbeat-ms', events.pingMs);
      // Nothing follows on this connection, so a stop need not wait for it.
      reply.header('connection', 'close');
      if (request.method === 'HEAD') return '';
      const stream = new EventStream({ userId: caller.user.id, tokenId: caller.tokenId }, reply.raw);
      const added = events.add(stream);
      // After it stands there: a caller who has hung up already is taken out again at once.
      onAnswerEnd(reply.raw, () => events.remove(stream));
      await added;
      if (draining.signal.aborted) throw new AppError('unavailable', retry);
      reply.hijack();
      stream.open(reply.getHeaders());
      void events.announceReady(stream);
      return '';
    },
  });
};
