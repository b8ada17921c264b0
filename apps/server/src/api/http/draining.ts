import type { FastifyInstance } from 'fastify';
import { AppError } from '../../errors.ts';
import type { ProcessServices } from '../../services.ts';

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
