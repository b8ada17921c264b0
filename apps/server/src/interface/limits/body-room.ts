/**
 * How much of request bodies may be in memory, or on its way there, at once. Without a bound, slow senders of large bodies
 * would fill it: each may take more than an hour for its 32 MiB. A body counts with the length that it states, from its headers to the
 * end of the answer; one without a length counts with the most that its route takes.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Room, toOwner } from './room.ts';

const MIB = 1024 * 1024;
const ALL_BYTES = 512 * MIB;
/** Of one user, host, or, before anybody is known, address: four of the largest files. */
const OWN_BYTES = 128 * MIB;

const toSizeBytes = ({ headers, routeOptions }: FastifyRequest): number => {
  const limit = routeOptions.bodyLimit ?? MIB;
  if (headers['transfer-encoding'] !== undefined) return limit;
  // What is over the limit is refused before it is read.
  return Math.min(limit, Number(headers['content-length'] ?? 0));
};

/** Answers 429 to a caller who has too much under way, and 503 when all callers together have. */
export const limitBodies = (app: FastifyInstance): void => {
  const room = new Room({ own: OWN_BYTES, all: ALL_BYTES });
  app.addHook('preParsing', (request, reply, payload, done) => {
    const sizeBytes = toSizeBytes(request);
    if (sizeBytes === 0) return done(null, payload);
    try {
      // Comes once, after the answer or when the connection breaks.
      reply.raw.once('close', room.take(toOwner(request), sizeBytes));
    } catch (error) {
      return done(error as Error);
    }
    return done(null, payload);
  });
};
