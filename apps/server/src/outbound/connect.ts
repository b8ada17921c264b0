/** Opens sockets: to addresses that were checked, straight or through a proxy, with TLS where the URL asks for it. */
import { once } from 'node:events';
import { connect as connectTcp, isIP, isIPv6, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import type Client from 'undici/lib/dispatcher/client.js';
import { OutboundError, toConnectError, toProxyError, toTlsError } from './errors.ts';
import type { Target } from './target.ts';

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

/** The next address of a name is tried after that. */
const NEXT_ADDRESS_MS = 3_000;
const MAX_ADDRESSES = 4;

export interface Way {
  /** `http://user:password@proxy.lan:3128`, which must know CONNECT. */
  proxy: URL | undefined;
  /** Whose certificates are believed. */
  trust: SecureContext;
}

const ignore = (): void => undefined;

/** Waits for an event of a socket; one that fails is destroyed. */
const ready = async (socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<Socket> => {
  // What goes wrong after that is told by the reads and writes that it ends.
  socket.on('error', ignore);
  try {
    await once(socket, event, { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
};

const openTcp = (host: string, port: number, signal: AbortSignal): Promise<Socket> =>
  ready(connectTcp({ host, port, noDelay: true }), 'connect', signal);

const toAuthority = (address: string, port: number): string =>
  isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;

const toProxyHeaders = ({ username, password }: URL, host: string): Record<string, string> => {
  if (username === '' && password === '') return { host };
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { host, 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
};

/** @returns the status of the proxy's answer */
const askToConnect = (client: HttpClient, path: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    client.dispatch(
      { method: 'CONNECT', path, headers },
      {
        onRequestStart: () => undefined,
        onRequestUpgrade: (_controller, status) => resolve(status),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });

/**
 * Asks the proxy for an address, never for a name: what it would make of a name, nobody has checked.
 * @throws OutboundError proxy; unreachable where the proxy is well, and says that the address is not
 */
const openThroughProxy = async (proxy: URL, authority: string, signal: AbortSignal): Promise<Socket> => {
  const host = proxy.hostname.replace(/^\[|\]$/g, '');
  const socket = await openTcp(host, Number(proxy.port || '80'), signal).catch((error: unknown) => {
    throw toProxyError(error);
  });
  const end = (): void => void socket.destroy();
  signal.addEventListener('abort', end, { once: true });
  const client = await createClient(proxy.origin, socket, NEXT_ADDRESS_MS);
  try {
    const status = await askToConnect(client, authority, toProxyHeaders(proxy, authority));
    if (status >= 200 && status < 300) return socket;
    const cause = new Error(`the proxy answered ${status} to CONNECT ${authority}`);
    throw status >= 500 ? toConnectError(cause) : toProxyError(cause);
  } catch (error) {
    socket.destroy();
    throw error instanceof OutboundError ? error : toProxyError(error);
  } finally {
    signal.removeEventListener('abort', end);
    // The socket is no longer the client's once the proxy has connected it.
    void client.destroy().catch(ignore);
  }
};

const openFirst = async (addresses: readonly string[], port: number, way: Way, signal: AbortSignal) => {
  const tried = addresses.slice(0, MAX_ADDRESSES);
  let failure: unknown;
  for (const [index, address] of tried.entries()) {
    const isLast = index === tried.length - 1;
    const limit = isLast ? signal : AbortSignal.any([signal, AbortSignal.timeout(NEXT_ADDRESS_MS)]);
    try {
      if (way.proxy) return await openThroughProxy(way.proxy, toAuthority(address, port), limit);
      return await openTcp(address, port, limit);
    } catch (error) {
      if (signal.aborted) throw error;
      failure = error;
    }
  }
  throw failure instanceof OutboundError ? failure : toConnectError(failure);
};

/** The certificate has to be that of the name, or of the address where the URL has one; no variable switches this off. */
const secure = async (socket: Socket, { name }: Target, { trust }: Way, signal: AbortSignal): Promise<Socket> => {
  const tls = connectTls({
    socket,
    host: name,
    ...(isIP(name) === 0 && { servername: name }),
    secureContext: trust,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  try {
    return await ready(tls, 'secureConnect', signal);
  } catch (error) {
    socket.destroy();
    throw toTlsError(error);
  }
};

/**
 * @param addresses checked ones, tried in this order
 * @throws OutboundError; anything when the signal has ended it
 */
export const openSocket = async (
  target: Target,
  addresses: readonly string[],
  way: Way,
  signal: AbortSignal,
): Promise<Socket> => {
  const socket = await openFirst(addresses, target.port, way, signal);
  return target.isTls ? secure(socket, target, way, signal) : socket;
};
