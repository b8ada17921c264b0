/**
 * The names under which a server on loopback answers. A page of a stranger can let its own name lead to 127.0.0.1, and would
 * then be of one origin with us: it could register, read and ask for everything that is open on this machine. Its requests
 * have its name in `Host`, where a person has `localhost` or an address.
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

/** Answers 421 to other names where only this machine is to reach the server. With a public address, a proxy asks under its own. */
export const createNameCheck = ({
  host: listensOn,
  publicUrl,
  serverNames,
}: Pick<ServerConfig, 'host' | 'publicUrl' | 'serverNames'>) => {
  const isOpen = publicUrl !== undefined || !isLoopback(listensOn);
  const names = new Set(serverNames);
  return ({ headers: { host } }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    // None at all is HTTP/1.0, which no browser speaks.
    done(isOpen || host === undefined || isOurs(host, names) ? undefined : new AppError('unknown_server_name'));
  };
};
