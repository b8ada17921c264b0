import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  agentRoutes,
  cutText,
  routeLimits,
  type ErrorCode,
  type RouteContract,
  type RouteLimit,
} from '@berth/contract';
import { AppError } from '../../errors.ts';
import { toAddressKey } from './address-key.ts';
import type { SharedCounts, Use } from './shared-counts.ts';
import { onAnswerEnd } from '../http/answer-end.ts';
import { getCallingHost } from '../http/caller.ts';

/**
 * How many calls of one host may be in progress at once. Calls of all hosts share statements and the time of this
 * process, so a compromised host that calls far more often than any agent would delay the heartbeats of others until
 * they count as lost. An agent has about six, one of each kind; those of a restarted agent may not have ended yet.
 */
const MAX_CALLS = 16;
const RETRY_AFTER_S = 1;

/** One for each running task, and each has limits of its own. */
const fileRoutes: readonly RouteContract[] = [agentRoutes.getFile, agentRoutes.createFile];

/** Counts a call of a known host until its answer has ended; throws 429 when the host has none left. */
export type HostCallLimiter = (request: FastifyRequest, reply: FastifyReply, route: RouteContract) => void;

export const createHostCallLimiter = (): HostCallLimiter => {
  const counts = new Map<string, number>();
  return (request, reply, route) => {
    if (fileRoutes.includes(route)) return;
    const { id } = getCallingHost(request);
    const count = counts.get(id) ?? 0;
    if (count >= MAX_CALLS) throw new AppError('host_call_limit', { retryAfterSeconds: RETRY_AFTER_S });
    counts.set(id, count + 1);
    onAnswerEnd(reply.raw, () => {
      const left = counts.get(id)! - 1;
      if (left > 0) counts.set(id, left);
      else counts.delete(id);
    });
  };
};

const REQUESTS_PER_TOKEN = 300;
const REQUESTS_PER_USER = 1_200;
/** A page of a list has fifty, and a browser requests them at once. */
const THUMBNAILS_PER_USER = 2_400;

/** Counts one use under a key; throws 429 when the key has none left. */
export type Limiter = (request: FastifyRequest, reply: FastifyReply) => Promise<void> | void;

export interface RateLimits {
  /** Every authenticated request, by token: 300 per minute, and by user: 1,200. Sets the `X-RateLimit-*` headers, of the token. */
  perToken: Limiter;
  /** Thumbnails of terminals, by user: 2,400 per minute. They count in no other limit. */
  thumbnails: Limiter;
  /** Limits of single routes, as the contract names them. */
  ofRoute: Record<RouteLimit, Limiter>;
  /**
   * Refused tokens and credentials, by address: 1,000 per minute. Checked after the refusal: a valid one is never held
   * up.
   */
  refusedToken: Limiter;
  /** Searches in the pages at /docs, and links of messages, by address: 60 per minute. */
  pageSearch: Limiter;
}

/** Of who signs in, or confirms a session. */
const emailOf = (request: FastifyRequest): string => {
  const body = (request.caller?.user ?? request.body) as { email?: unknown } | null | undefined;
  return typeof body?.email === 'string' ? cutText(body.email.trim().toLowerCase(), 255) : '';
};

const unlimited: Limiter = () => undefined;

/** What every authenticated answer says about the limit it counted towards. */
const showUse = (reply: FastifyReply, { uses }: Use, max: number): void => {
  reply.header('x-ratelimit-limit', max);
  reply.header('x-ratelimit-remaining', Math.max(0, max - uses));
};

const assertLeft = ({ uses, leftMs }: Use, max: number, code: ErrorCode): void => {
  const retryAfterSeconds = Math.max(1, Math.ceil(leftMs / 1000));
  if (uses > max) throw new AppError(code, { retryAfterSeconds });
};

/**
 * The limits, which all servers of a database share. Credentials, password changes and enrolments are counted on all
 * servers before they proceed; frequent requests are counted locally and synchronised in the background
 * (docs/operating.md says how exact that is).
 * @param counts undefined = no limits
 */
export const createRateLimits = (counts: SharedCounts | undefined): RateLimits => {
  if (!counts) {
    const names = Object.keys(routeLimits) as RouteLimit[];
    const ofRoute = Object.fromEntries(names.map((name) => [name, unlimited])) as RateLimits['ofRoute'];
    return { perToken: unlimited, thumbnails: unlimited, refusedToken: unlimited, pageSearch: unlimited, ofRoute };
  }
  const addressOf = ({ ip }: FastifyRequest): string => toAddressKey(ip);
  const frequent =
    (code: ErrorCode, max: number, toKey: (request: FastifyRequest) => string): Limiter =>
    (request) =>
      assertLeft(counts.use(`${code} ${toKey(request)}`, max), max, code);
  const rare =
    (code: ErrorCode, max: number, toKey: (request: FastifyRequest) => string, name: string = code): Limiter =>
    async (request) =>
      assertLeft(await counts.useEverywhere(`${name} ${toKey(request)}`, max), max, code);
  const userOf = ({ caller }: FastifyRequest): string => String(caller?.user.id);
  const perUser = frequent('account_rate_limit', REQUESTS_PER_USER, userOf);
  const credentialsByAddress = rare('credentials_rate_limit', 60, addressOf, 'credentials of address');
  const toAttempt = (request: FastifyRequest): string => `${addressOf(request)} ${emailOf(request)}`;
  const credentialsByEmail = rare('credentials_rate_limit', 5, toAttempt, 'credentials of e-mail');
  return {
    perToken: (request, reply) => {
      const use = counts.use(`token ${request.caller?.tokenId}`, REQUESTS_PER_TOKEN);
      showUse(reply, use, REQUESTS_PER_TOKEN);
      assertLeft(use, REQUESTS_PER_TOKEN, 'token_rate_limit');
      return perUser(request, reply);
    },
    thumbnails: (request, reply) => {
      const use = counts.use(`thumbnails ${userOf(request)}`, THUMBNAILS_PER_USER);
      showUse(reply, use, THUMBNAILS_PER_USER);
      assertLeft(use, THUMBNAILS_PER_USER, 'thumbnail_rate_limit');
    },
    refusedToken: frequent('refused_token_rate_limit', 1_000, addressOf),
    pageSearch: frequent('search_rate_limit', 60, addressOf),
    ofRoute: {
      taskCreation: frequent('task_creation_rate_limit', 60, userOf),
      // Each is an event, or a delivery, that is kept.
      subscription: frequent('subscription_rate_limit', 60, userOf),
      // Each may send a message to somebody.
      alertChannel: rare('alert_channel_rate_limit', 20, userOf),
      credentials: async (request, reply) => {
        await credentialsByAddress(request, reply);
        await credentialsByEmail(request, reply);
      },
      passwordChange: rare('password_change_rate_limit', 10, userOf),
      enrolment: rare('enrolment_rate_limit', 60, addressOf),
    },
  };
};
