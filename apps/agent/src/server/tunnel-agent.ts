/** Opens connections to an https server through a proxy: by CONNECT, with TLS to the server inside. */
import { Agent as PlainAgent, request as requestPlain, type ClientRequest } from 'node:http';
import { Agent as SecureAgent, request as requestSecure, type AgentOptions, type RequestOptions } from 'node:https';
import { isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import { toProxyRequest } from './proxy-request.ts';

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
