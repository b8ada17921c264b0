import type { FastifyReply, FastifyRequest } from 'fastify';
import { cutText } from '@berth/contract';
import { AppError } from '../../errors.ts';
import { toAddressKey } from './address-key.ts';
import type { SharedCounts, Use } from './shared-counts.ts';

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
  /** Task creations, by user: 60 per minute. */
  taskCreation: Limiter;
  /** What creates, changes or tests a channel of alerts, by user: 20 per minute. Each may send a message to somebody. */
  alertChannel: Limiter;
  /** What changes or tests a webhook, or changes a rule of alerts, by user: 60 per minute. Each is an event, or a delivery, that is kept. */
  webhookChange: Limiter;
  /** Login, registration, forgotten passwords, by address and e-mail: 5 per minute; by address alone: 60. */
  credentials: Limiter;
  /** Password changes, by user: 10 per minute. */
  passwordChange: Limiter;
  /** Enrolments of hosts, by address: 60 per minute. */
  enrolment: Limiter;
  /**
   * Refused tokens and credentials, by address: 1,000 per minute. Checked after the refusal: a valid one is never held
   * up.
   */
  refusedToken: Limiter;
  /** Searches in the pages at /docs, and links of messages, by address: 60 per minute. */
  pageSearch: Limiter;
}

const emailOf = (request: FastifyRequest): string => {
  const body = request.body as { email?: unknown } | null | undefined;
  return typeof body?.email === 'string' ? cutText(body.email.trim().toLowerCase(), 255) : '';
};

const unlimited: Limiter = () => undefined;

/** What every authenticated answer says about the limit it counted towards. */
const showUse = (reply: FastifyReply, { uses }: Use, max: number): void => {
  reply.header('x-ratelimit-limit', max);
  reply.header('x-ratelimit-remaining', Math.max(0, max - uses));
};

const assertLeft = ({ uses, leftMs }: Use, max: number): void => {
  const retryAfterSeconds = Math.max(1, Math.ceil(leftMs / 1000));
  if (uses > max) throw new AppError('too_many_requests', { retryAfterSeconds });
};

/**
 * The limits, which all servers of a database share. Credentials, password changes and enrolments are counted on all
 * servers before they proceed; frequent requests are counted locally and synchronised in the background
 * (docs/operating.md says how exact that is).
 * @param counts undefined = no limits
 */
export const createRateLimits = (counts: SharedCounts | undefined): RateLimits => {
  if (!counts) {
    return {
      perToken: unlimited,
      thumbnails: unlimited,
      taskCreation: unlimited,
      webhookChange: unlimited,
      alertChannel: unlimited,
      credentials: unlimited,
      passwordChange: unlimited,
      enrolment: unlimited,
      refusedToken: unlimited,
      pageSearch: unlimited,
    };
  }
  const addressOf = ({ ip }: FastifyRequest): string => toAddressKey(ip);
  const frequent =
    (name: string, max: number, toKey: (request: FastifyRequest) => string): Limiter =>
    (request) =>
      assertLeft(counts.use(`${name} ${toKey(request)}`, max), max);
  const rare =
    (name: string, max: number, toKey: (request: FastifyRequest) => string): Limiter =>
    async (request) =>
      assertLeft(await counts.useEverywhere(`${name} ${toKey(request)}`, max), max);
  const userOf = ({ caller }: FastifyRequest): string => String(caller?.user.id);
  const byUser = frequent('user', REQUESTS_PER_USER, userOf);
  const credentialsByAddress = rare('address', 60, addressOf);
  const credentialsByEmail = rare('email', 5, (request) => `${addressOf(request)} ${emailOf(request)}`);
  return {
    perToken: (request, reply) => {
      const use = counts.use(`token ${request.caller?.tokenId}`, REQUESTS_PER_TOKEN);
      showUse(reply, use, REQUESTS_PER_TOKEN);
      assertLeft(use, REQUESTS_PER_TOKEN);
      return byUser(request, reply);
    },
    thumbnails: (request, reply) => {
      const use = counts.use(`thumbnails ${userOf(request)}`, THUMBNAILS_PER_USER);
      showUse(reply, use, THUMBNAILS_PER_USER);
      assertLeft(use, THUMBNAILS_PER_USER);
    },
    taskCreation: frequent('creation', 60, userOf),
    webhookChange: frequent('webhook', 60, userOf),
    alertChannel: rare('alert channel', 20, userOf),
    credentials: async (request, reply) => {
      await credentialsByAddress(request, reply);
      await credentialsByEmail(request, reply);
    },
    passwordChange: rare('password', 10, userOf),
    enrolment: rare('enrolment', 60, addressOf),
    refusedToken: frequent('refused', 1_000, addressOf),
    pageSearch: frequent('search', 60, addressOf),
  };
};
