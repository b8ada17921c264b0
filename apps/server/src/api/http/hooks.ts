/** What every request passes first, and what it leaves behind. */
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isLoopback, type ServerConfig } from '../../config.ts';
import { AppError } from '../../errors.ts';
import type { ProcessServices } from '../../services.ts';

/**
 * The security headers of answers that are data. Pages (`/docs`) get helmet's whole set instead: the rest of it
 * concerns documents only, and on every JSON answer it would cost a tenth of the time of a read.
 */
export const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
} as const;

const HOST = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/;

const isOurs = (host: string, names: ReadonlySet<string>): boolean => {
  const [, bracketed, plain = ''] = HOST.exec(host.toLowerCase()) ?? [];
  if (bracketed !== undefined) return isIP(bracketed) === 6;
  return isIP(plain) === 4 || plain === 'localhost' || plain.endsWith('.localhost') || names.has(plain);
};

/**
 * Answers 421 to other names where only this machine is to reach the server. With a public URL, a proxy uses that name.
 *
 * The names under which a server on loopback answers. A malicious page can make its own name resolve to 127.0.0.1 (DNS
 * rebinding), and would then share our origin: it could register, read and request everything that is open on this
 * machine. Its requests carry its name in `Host`, where a person's carry `localhost` or an address.
 */
export const createNameCheck = ({
  host: listensOn,
  publicUrl,
  serverNames,
}: Pick<ServerConfig, 'host' | 'publicUrl' | 'serverNames'>) => {
  const isOpen = publicUrl !== undefined || !isLoopback(listensOn);
  const names = new Set(serverNames);
  return ({ headers: { host } }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    // A missing header is HTTP/1.0, which no browser speaks.
    done(isOpen || host === undefined || isOurs(host, names) ? undefined : new AppError('unknown_server_name'));
  };
};

const RETRY_AFTER_S = 5;

/**
 * A server that is stopping accepts no new work. Reads go on, and so do agents: they report what they were given
 * before, and it would be done a second time if no server accepted the report.
 */
export const refuseWorkWhileDraining = (
  app: FastifyInstance,
  { draining }: Pick<ProcessServices, 'draining'>,
): void => {
  app.addHook('onRequest', ({ method, routeOptions: { url = '' } }, _reply, done) => {
    const isAllowed = method === 'GET' || method === 'HEAD' || url.startsWith('/v1/agent/');
    if (!draining.signal.aborted || isAllowed) done();
    else done(new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_S }));
  });
};

/**
 * One line per request, after its answer. The route's pattern is logged instead of the path: paths and query strings
 * hold ids and search terms, headers and bodies hold secrets, and none of them is written. Agents call every few
 * seconds, so their empty and routine calls are logged at debug level.
 */
export const logRequests = (app: FastifyInstance): void => {
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, callingHost } = request;
    const level = callingHost && reply.statusCode < 400 ? 'debug' : 'info';
    request.log[level](
      {
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        userId: caller?.user.id,
        hostId: callingHost?.id,
      },
      'request',
    );
    done();
  });
};
