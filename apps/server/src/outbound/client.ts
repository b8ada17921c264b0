import type { Socket } from 'node:net';
import type Client from 'undici/lib/dispatcher/client.js';

/** One connection of the HTTP client. */
export type HttpClient = Client;

/** Of an answer. Servers of others say less than a tenth. */
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Speaks HTTP on a socket that is open already, and on no other: what the client would open by itself, nobody has checked.
 * It has no time limits, because the caller has a clock for all of it. The HTTP client is loaded when there is a first
 * call: most servers never call anybody.
 * @param idleMs after a call without another one, it closes the socket
 */
export const createClient = async (origin: string, socket: Socket, idleMs: number): Promise<HttpClient> => {
  const { default: HttpConnection } = await import('undici/lib/dispatcher/client.js');
  return new HttpConnection(origin, {
    connect: (_options, callback) => {
      // Later, because the client does not look at its requests while it is still connecting.
      queueMicrotask(() => {
        if (socket.destroyed) callback(new Error('the connection is gone'), null);
        else callback(null, socket);
      });
    },
    pipelining: 1,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
};
