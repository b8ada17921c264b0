/**
 * The names under which a server on loopback answers. A malicious page can make its own name resolve to 127.0.0.1 (DNS
 * rebinding), and would then share our origin: it could register, read and request everything that is open on this
 * machine. Its requests carry its name in `Host`, where a person's carry `localhost` or an address.
 */
import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopback, type ServerConfig } from '../../config.ts';
import { AppError } from '../../errors.ts';

const HOST = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/;

const isOurs = (host: string, names: ReadonlySet<string>): boolean => {
  const [, bracketed, plain = ''] = HOST.exec(host.toLowerCase()) ?? [];
  if (bracketed !== undefined) return isIP(bracketed) === 6;
  return isIP(plain) === 4 || plain === 'localhost' || plain.endsWith('.localhost') || names.has(plain);
};

/**
 * Answers 421 to other names where only this machine is to reach the server. With a public URL, a proxy uses that name.
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
