/**
 * How much of request bodies may be in memory at once. Without a bound, slow senders of large bodies would fill it: each
 * may take more than an hour for its 32 MiB. What counts is what has arrived, from its first byte to the end of the
 * answer: what the headers announce may be wrong, or never come.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { onAnswerEnd } from '../http/answer-end.ts';
import { toOwner, type Room } from './room.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Counts bytes of the body that have arrived; throws 429 or 503 where there is no room for them. */
    countBody: (sizeBytes: number) => void;
  }
}

const createCount = (request: FastifyRequest, reply: FastifyReply, room: Room): ((sizeBytes: number) => void) => {
  let take: ((sizeBytes: number) => void) | undefined;
  return (sizeBytes) => {
    if (!take) {
      const holding = room.hold(toOwner(request));
      onAnswerEnd(reply.raw, holding.release);
      ({ take } = holding);
    }
    take(sizeBytes);
  };
};

/** Answers 429 to a caller who has too much in progress, and 503 when all callers together have. */
export const limitBodies = (app: FastifyInstance, room: Room): void => {
  app.decorateRequest('countBody', null as unknown as FastifyRequest['countBody']);
  app.addHook('preParsing', (request, reply, payload, done) => {
    const announcedBytes = Number(request.headers['content-length'] ?? 0);
    try {
      // Whoever says that it does not fit need not send it first. What exceeds the limit of the route gets 413.
      if (announcedBytes <= request.routeOptions.bodyLimit) room.assertFits(toOwner(request), announcedBytes);
    } catch (error) {
      return done(error as Error);
    }
    request.countBody = createCount(request, reply, room);
    return done(null, payload);
  });
};
