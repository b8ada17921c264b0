/** What stands where users' addresses lead to, in tests: servers on loopback, well-behaved and hostile. */
import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach } from 'vitest';
import { Outbound, type OutboundOptions } from '../../src/outbound/outbound.ts';

type Close = () => Promise<unknown>;

const closers: Close[] = [];

/** Closes all that a test opened, what was opened last first. */
export const closeAfterEach = (): void => {
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
};

export const closeLater = (close: Close): void => void closers.push(close);

export interface Peer {
  port: number;
  /** All that ever came. */
  sockets: Socket[];
}

/** @param port undefined or 0 = a free one */
export const listen = async (server: Server, address = '127.0.0.1', port = 0): Promise<Peer> => {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
  });
  server.listen(port, address);
  await once(server, 'listening');
  closeLater(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, sockets };
};

/** Says something to whoever connects. */
export const startRawPeer = (onSocket: (socket: Socket) => void): Promise<Peer> => listen(createServer(onSocket));

export const startHttpPeer = (onRequest: RequestListener, address?: string, port?: number): Promise<Peer> =>
  listen(createHttpServer(onRequest), address, port);

type Answer = (body: Buffer, request: IncomingMessage, response: ServerResponse) => void;

/** Answers when the body is there. */
export const startReadingPeer = (answer: Answer): Promise<Peer> =>
  startHttpPeer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => answer(Buffer.concat(parts), request, response));
  });

export const LOOPBACK = ['127.0.0.1/32'];

/** Reaches loopback; names lead there. */
export const createOutbound = (options: Partial<OutboundOptions> = {}): Outbound => {
  const outbound = new Outbound({ allow: LOOPBACK, lookup: async () => ['127.0.0.1'], ...options });
  closeLater(() => outbound.close());
  return outbound;
};

export const REQUEST = { ownerId: 'trader', headers: { 'content-type': 'application/json' }, body: '{"id":1}' };

export const toUrl = ({ port }: { port: number }, name = '127.0.0.1'): string => `http://${name}:${port}/hook`;

export const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
};
