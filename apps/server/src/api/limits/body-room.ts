/**
 * How much of request bodies may be in memory, or on the way there, at once. Without a bound, slow senders of large
 * bodies would fill it: each may take more than an hour for its 32 MiB. A body counts with its stated length, from its
 * headers to the end of the answer; one without a length counts with the most that its route accepts.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { onAnswerEnd } from '../http/answer-end.ts';
import { toOwner, type Room } from './room.ts';

const MIB = 1024 * 1024;

const toSizeBytes = ({ headers, routeOptions }: FastifyRequest): number => {
  const limit = routeOptions.bodyLimit ?? MIB;
  if (headers['transfer-encoding'] !== undefined) return limit;
  // What exceeds the limit is refused before it is read.
  return Math.min(limit, Number(headers['content-length'] ?? 0));
};

/** Answers 429 to a caller who has too much in progress, and 503 when all callers together have. */
export const limitBodies = (app: FastifyInstance, room: Room): void => {
  app.addHook('preParsing', (request, reply, payload, done) => {
    const sizeBytes = toSizeBytes(request);
    if (sizeBytes === 0) return done(null, payload);
    try {
      onAnswerEnd(reply.raw, room.take(toOwner(request), sizeBytes));
    } catch (error) {
      return done(error as Error);
    }
    return done(null, payload);
  });
};
