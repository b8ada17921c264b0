/** Opens connections to an https server through a proxy: by CONNECT, with TLS to the server inside. */
import { Agent as PlainAgent, request as requestPlain, type ClientRequest } from 'node:http';
import { Agent as SecureAgent, request as requestSecure, type AgentOptions, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { isIPv6, isIP } from 'node:net';

/**
 * What a request to a proxy says, where it asks for something of a server. Pure.
 * @param proxy `http://user:password@proxy.lan:3128`, or `https:`
 * @param authority of the server, with the port unless it is the scheme's own
 */
export const toProxyRequest = ({ hostname, port, username, password }: URL, authority: string) => {
  const host = hostname.replace(/^\[|\]$/g, '');
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    host,
    port,
    headers: {
      host: authority,
      'proxy-connection': 'keep-alive',
      ...(login !== ':' && { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }),
    },
    // Otherwise Node would take the name in the header, which is the server's.
    servername: isIP(host) === 0 ? host : '',
  };
};

/** Node's parser fails at a longer one, so an answer without end costs no memory. */
const MAX_PROXY_HEADER_BYTES = 16 * 1024;

/** What a request says about the connection that is opened for it. */
export interface ConnectionLimit {
  /** Ends the opening. A request that is destroyed before it has a socket does not tell its agent. */
  limit?: AbortSignal;
}

export class TunnelAgent extends SecureAgent {
  readonly #proxy: URL;
  readonly #proxyAgent: PlainAgent;

  constructor(proxy: URL, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
    this.#proxyAgent = this.#isProxySecure()
      ? new SecureAgent({ ...options, ALPNProtocols: ['http/1.1'] })
      : new PlainAgent(options);
  }

  override createConnection(
    options: RequestOptions & ConnectionLimit,
    callback: (error: Error | null, socket?: Duplex) => void,
  ): undefined {
    const host = options.host ?? '';
    const authority = `${isIPv6(host) ? `[${host}]` : host}:${options.port}`;
    const request = this.#askForTunnel(authority, options.limit);
    request.once('connect', ({ statusCode = 0 }, socket, head) => {
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        callback(new Error(`the proxy answered ${statusCode} to CONNECT ${authority}`));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      const secured = { ...options, socket };
      callback(null, super.createConnection(secured) ?? undefined);
    });
    request.on('error', (error) => callback(error));
    request.end();
  }

  #isProxySecure(): boolean {
    return this.#proxy.protocol === 'https:';
  }

  #askForTunnel(authority: string, limit: AbortSignal | undefined): ClientRequest {
    return (this.#isProxySecure() ? requestSecure : requestPlain)({
      method: 'CONNECT',
      ...toProxyRequest(this.#proxy, authority),
      path: authority,
      agent: this.#proxyAgent,
      maxHeaderSize: MAX_PROXY_HEADER_BYTES,
      ...(limit && { signal: limit }),
    });
  }
}
