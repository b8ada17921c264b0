/** A proxy in front of a real server that does to the next requests what a bad network does to them. */
import { once } from 'node:events';
import { createServer, request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What happens to one request. */
export type Fault =
  /** The connection breaks before the server sees anything of it. */
  | 'cut'
  /** The server carries it out, and the connection breaks before the answer. */
  | 'lose answer'
  /** Nobody answers. */
  | 'hang'
  /** The answer is given by the proxy itself; with an endless body it never comes to its end, a silent one stops. */
  | { status: number; headers?: Record<string, string>; body?: string; isEndless?: boolean; isSilent?: boolean };

export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
}

const PIECE = 'x'.repeat(64 * 1024);

export class FaultyProxy {
  readonly seen: SeenRequest[] = [];
  /** Bytes that an endless answer came to. */
  endlessBytes = 0;
  target: string;
  readonly #faults: Fault[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((incoming, answer) => void this.#handle(incoming, answer));

  private constructor(target: string) {
    this.target = target;
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async open(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What happens to the next requests, one after the other; those that follow pass. */
  next(...faults: Fault[]): void {
    this.#faults.push(...faults);
  }

  /** Every connection breaks now. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cutAll();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming;
    this.seen.push({ method, url, headers });
    const fault = this.#faults.shift();
    if (fault === 'cut') return void incoming.socket.destroy();
    if (fault === 'hang') return void incoming.resume();
    if (typeof fault === 'object') return this.#answer(fault, answer);
    const onward = request(this.target + url, { method, headers: { ...headers, host: new URL(this.target).host } });
    onward.on('error', () => incoming.socket.destroy());
    incoming.pipe(onward);
    const [response] = (await once(onward, 'response').catch(() => [undefined])) as [IncomingMessage | undefined];
    if (!response) return;
    answer.on('close', () => response.destroy());
    response.on('error', () => answer.destroy());
    if (fault === 'lose answer') {
      response.resume();
      response.on('end', () => incoming.socket.destroy());
      return;
    }
    answer.writeHead(response.statusCode ?? 500, response.headers);
    answer.flushHeaders();
    response.on('aborted', () => answer.destroy());
    response.pipe(answer);
  }

  #answer({ status, headers, body, isEndless, isSilent }: Exclude<Fault, string>, answer: ServerResponse): void {
    answer.writeHead(status, headers);
    if (!isEndless && !isSilent) return void answer.end(body);
    answer.write(body ?? '');
    if (isSilent) return;
    const more = (): void => {
      if (answer.destroyed) return;
      this.endlessBytes += PIECE.length;
      if (answer.write(PIECE)) setImmediate(more);
      else answer.once('drain', more);
    };
    more();
  }
}
