import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toAddressKey } from './address-key.ts';
import { AppError } from './errors.ts';

const MINUTE_MS = 60_000;

/** Counts one use under a key; throws 429 when the key has none left. */
export type Limiter = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

export interface RateLimits {
  /** Every authenticated request, by token: 300 a minute. Sets the `X-RateLimit-*` headers. */
  perToken: Limiter;
  /** Task creations, by user: 60 a minute. */
  taskCreation: Limiter;
  /** Login, registration, forgotten passwords, by address and e-mail: 5 a minute; by address alone: 60. */
  credentials: Limiter;
  /** Password changes, by user: 10 a minute. */
  passwordChange: Limiter;
  /** Enrolments of hosts, by address: 60 a minute. */
  enrolment: Limiter;
  /** Tokens and credentials that were refused, by address: 1,000 a minute. Asked after the refusal: a right one is never held up. */
  refusedToken: Limiter;
}

const emailOf = (request: FastifyRequest): string => {
  const body = request.body as { email?: unknown } | null | undefined;
  return typeof body?.email === 'string' ? body.email.trim().toLowerCase().slice(0, 255) : '';
};

const unlimited: Limiter = () => Promise.resolve();

/** The limits of this process; several servers each count for themselves (docs/operating.md). */
export const createRateLimits = (app: FastifyInstance, isOn: boolean): RateLimits => {
  const limit = (max: number, toKey: (request: FastifyRequest) => string, showsHeaders = false): Limiter => {
    const check = app.createRateLimit({ max, timeWindow: MINUTE_MS, keyGenerator: toKey });
    return async (request, reply) => {
      const state = await check(request);
      if (state.isAllowed) return;
      if (showsHeaders) {
        reply.header('x-ratelimit-limit', state.max).header('x-ratelimit-remaining', state.remaining);
      }
      if (state.isExceeded)
        throw new AppError('too_many_requests', { retryAfterSeconds: Math.max(1, state.ttlInSeconds) });
    };
  };
  if (!isOn) {
    return {
      perToken: unlimited,
      taskCreation: unlimited,
      credentials: unlimited,
      passwordChange: unlimited,
      enrolment: unlimited,
      refusedToken: unlimited,
    };
  }
  const addressOf = (request: FastifyRequest): string => toAddressKey(request.ip);
  const credentialsByAddress = limit(60, addressOf);
  const credentialsByEmail = limit(5, (request) => `${addressOf(request)} ${emailOf(request)}`);
  return {
    perToken: limit(300, (request) => String(request.caller?.tokenId), true),
    taskCreation: limit(60, (request) => String(request.caller?.user.id)),
    credentials: async (request, reply) => {
      await credentialsByAddress(request, reply);
      await credentialsByEmail(request, reply);
    },
    passwordChange: limit(10, (request) => String(request.caller?.user.id)),
    enrolment: limit(60, addressOf),
    refusedToken: limit(1_000, addressOf),
  };
};
