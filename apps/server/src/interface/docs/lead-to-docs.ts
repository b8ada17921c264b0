import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { ServerConfig } from '../../config.ts';
import { toPublicUrl } from '../http/public-url.ts';

/** What a client gets that does not care (no `Accept`, or any type) comes first. */
const MEDIA_TYPES = ['application/json', 'text/html'];

const isRoot = ({ method, url }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && /^\/(\?|$)/.test(url);

/**
 * The service has nothing at `/`: programs are told so, but a person who opened its address in a browser is led to `/docs`.
 * Not a route, so that any other method is not found there either.
 * @returns undefined when the request is to be answered as any other that is not found
 */
export const leadToDocs = (
  request: FastifyRequest,
  reply: FastifyReply,
  config: Pick<ServerConfig, 'publicUrl' | 'port'>,
): FastifyReply | undefined => {
  if (!isRoot(request)) return undefined;
  reply.header('vary', 'Accept');
  if (new Negotiator(request).mediaType(MEDIA_TYPES) !== 'text/html') return undefined;
  return reply.redirect(toPublicUrl(request, config, '/docs').href, 302);
};
