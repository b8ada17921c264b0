/**
 * How much of request bodies may be in memory, or on its way there, at once. Without a bound, slow senders of large bodies
 * would fill it: each may take more than an hour for its 32 MiB. A body counts with the length that it states, from its headers to the
 * end of the answer; one without a length counts with the most that its route takes.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { toAddressKey } from './address-key.ts';
import { AppError } from './errors.ts';

const MIB = 1024 * 1024;
const ALL_BYTES = 512 * MIB;
/** Of one user, host, or, before anybody is known, address: four of the largest files. */
const OWN_BYTES = 128 * MIB;
const RETRY_AFTER_S = 5;

const toOwner = ({ caller, callingHost, ip }: FastifyRequest): string =>
  caller?.user.id ?? callingHost?.id ?? toAddressKey(ip);

const toSizeBytes = ({ headers, routeOptions }: FastifyRequest): number => {
  const limit = routeOptions.bodyLimit ?? MIB;
  if (headers['transfer-encoding'] !== undefined) return limit;
  // What is over the limit is refused before it is read.
  return Math.min(limit, Number(headers['content-length'] ?? 0));
};

/** Answers 429 to whoever has too much under way, and 503 when all have together. */
export const limitBodies = (app: FastifyInstance): void => {
  const taken = new Map<string, number>();
  let allTaken = 0;
  const change = (owner: string, bytes: number): void => {
    allTaken += bytes;
    const own = (taken.get(owner) ?? 0) + bytes;
    if (own > 0) taken.set(owner, own);
    else taken.delete(owner);
  };
  app.addHook('preParsing', (request, reply, payload, done) => {
    const sizeBytes = toSizeBytes(request);
    if (sizeBytes === 0) return done(null, payload);
    const owner = toOwner(request);
    const retryAfterSeconds = RETRY_AFTER_S;
    if ((taken.get(owner) ?? 0) + sizeBytes > OWN_BYTES) {
      return done(new AppError('too_many_requests', { retryAfterSeconds }));
    }
    if (allTaken + sizeBytes > ALL_BYTES) return done(new AppError('unavailable', { retryAfterSeconds }));
    change(owner, sizeBytes);
    // Comes once, after the answer or when the connection breaks.
    reply.raw.once('close', () => change(owner, -sizeBytes));
    return done(null, payload);
  });
};
