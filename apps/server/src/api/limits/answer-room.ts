/**
 * How much of the answers may be in memory at once. A reader that does not read leaves its answer here until it is cut
 * off (`connections.ts`), so without a bound a few such sockets would fill the memory with long lists.
 *
 * Before that, what is read from PostgreSQL is bounded by the slow connections: four statements at once, each of which
 * reads a slice (`SLICE_BYTES`) of anything that may be large. An answer counts from then on until its socket has
 * accepted it.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { onAnswerEnd } from '../http/answer-end.ts';
import { toOwner, type Room } from './room.ts';

const MIB = 1024 * 1024;
/** Large answers are read from PostgreSQL and sent in slices of this size. */
export const SLICE_BYTES = MIB;
/** What an answer in slices holds: one slice being sent, one ready, one being read. */
const SLICED_BYTES = 3 * SLICE_BYTES;
/** Shorter ones are not counted: the limit of connections bounds them. */
const COUNTED_BYTES = 16 * 1024;

interface Stream {
  destroy(): void;
}

const isStream = (payload: unknown): payload is Stream =>
  typeof payload === 'object' && payload !== null && 'pipe' in payload;

const toSizeBytes = (reply: FastifyReply, payload: unknown): number => {
  if (typeof payload === 'string') return payload.length < COUNTED_BYTES ? 0 : Buffer.byteLength(payload);
  if (Buffer.isBuffer(payload)) return payload.length;
  if (!isStream(payload)) return 0;
  return Math.min(SLICED_BYTES, Number(reply.getHeader('content-length') ?? SLICED_BYTES));
};

/** Answers 429 to a caller who has too much in progress, and 503 when all callers together have. */
export const limitAnswers = (app: FastifyInstance, room: Room): void => {
  app.addHook('onSend', (request, reply, payload, done) => {
    const sizeBytes = toSizeBytes(reply, payload);
    if (sizeBytes < COUNTED_BYTES) return done(null, payload);
    const holding = room.hold(toOwner(request));
    try {
      holding.take(sizeBytes);
    } catch (error) {
      if (isStream(payload)) payload.destroy();
      for (const name of ['etag', 'content-disposition']) reply.removeHeader(name);
      reply.header('cache-control', 'no-store');
      return done(error as Error);
    }
    onAnswerEnd(reply.raw, holding.release);
    return done(null, payload);
  });
};
