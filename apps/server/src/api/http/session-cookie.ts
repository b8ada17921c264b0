/**
 * Sessions of browsers. The cookie is for browsers only, and a token for programs only: neither is accepted in place of
 * the other. A page of another origin can make a browser send the cookie, so a change by cookie needs two more things:
 *
 * - `X-Berth-Csrf`, a value that is derived from the session's secret. A page gets it with the login and from
 *   `GET /v1/auth/session`, whose answer only a page of our own origin can read. It is in no second cookie: a sibling
 *   domain could set that.
 * - `Origin` and `Sec-Fetch-Site`, where the browser sends them, must be our own.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerConfig } from '../../config.ts';
import { AppError } from '../../errors.ts';
import { toPublicUrl } from './public-url.ts';

type UrlConfig = Pick<ServerConfig, 'publicUrl' | 'port'>;

const NAME = 'berth-session';
/** The browser's own limit; the server's is shorter, and moves with each use. */
const MAX_AGE_S = 90 * 86_400;
const UNCHANGING = new Set(['GET', 'HEAD', 'OPTIONS']);

const isSecure = (request: FastifyRequest, { publicUrl }: UrlConfig): boolean =>
  publicUrl === undefined ? request.protocol === 'https' : publicUrl.startsWith('https:');

/** With `__Host-`, no sibling domain and no page without TLS can set it. */
const toName = (isSafe: boolean): string => (isSafe ? `__Host-${NAME}` : NAME);

const setCookie = (request: FastifyRequest, reply: FastifyReply, config: UrlConfig, value: string, maxAgeS: number) => {
  const isSafe = isSecure(request, config);
  const parts = [`${toName(isSafe)}=${value}`, 'Path=/', `Max-Age=${maxAgeS}`, 'HttpOnly', 'SameSite=Lax'];
  reply.header('set-cookie', (isSafe ? [...parts, 'Secure'] : parts).join('; ')).header('cache-control', 'no-store');
};

export const giveSession = (request: FastifyRequest, reply: FastifyReply, config: UrlConfig, token: string): void =>
  setCookie(request, reply, config, token, MAX_AGE_S);

export const takeSession = (request: FastifyRequest, reply: FastifyReply, config: UrlConfig): void =>
  setCookie(request, reply, config, '', 0);

/** The token in the session cookie. If there are two cookies of that name, one is not ours: then neither counts. */
export const findSessionToken = (request: FastifyRequest, config: UrlConfig): string | undefined => {
  const { cookie } = request.headers;
  if (cookie === undefined) return undefined;
  const start = `${toName(isSecure(request, config))}=`;
  const found = cookie.split(';').flatMap((part) => {
    const text = part.trim();
    return text.startsWith(start) ? [text.slice(start.length)] : [];
  });
  return found.length === 1 ? found[0] : undefined;
};

/** The value for `X-Berth-Csrf` of a session, given its secret. */
export const toCsrfToken = (sessionToken: string): string =>
  createHmac('sha256', sessionToken).update('berth csrf').digest('base64url');

const isEqual = (left: string, right: string): boolean => {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
};

/** Whether the browser says that the request comes from a page that is not ours. */
const isFromElsewhere = (request: FastifyRequest, config: UrlConfig): boolean => {
  const { origin, 'sec-fetch-site': site } = request.headers;
  return (
    (site !== undefined && site !== 'same-origin') ||
    (origin !== undefined && origin !== toPublicUrl(request, config).origin)
  );
};

/** For a request that starts a session: a page of another origin must not sign its visitor in as somebody else. */
export const assertOwnPage = (request: FastifyRequest, config: UrlConfig): void => {
  if (isFromElsewhere(request, config)) throw new AppError('not_from_our_page');
};

/** @throws AppError 403 for a change by cookie that was not sent by a page of ours */
export const assertOwnChange = (request: FastifyRequest, config: UrlConfig, sessionToken: string): void => {
  if (UNCHANGING.has(request.method)) return;
  assertOwnPage(request, config);
  const given = request.headers['x-berth-csrf'];
  if (typeof given !== 'string' || !isEqual(given, toCsrfToken(sessionToken))) throw new AppError('not_from_our_page');
};
