/** An endpoint for webhooks: keeps what it is sent, and answers as the test says. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The same, as it came. */
  bytes: Buffer;
}

export interface ReceiverAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

export interface WebhookReceiver {
  url: string;
  /** In the order of their arrival. */
  received: Received[];
  /** What it answers from now on; a promise holds the answer back. */
  answer: (request: Received) => ReceiverAnswer | Promise<ReceiverAnswer>;
  close(): Promise<void>;
}

/** @example const receiver = await startWebhookReceiver(); receiver.answer = () => ({ status: 500 }); */
export const startWebhookReceiver = async (): Promise<WebhookReceiver> => {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const bytes = Buffer.concat(parts);
      const received = { path, headers, body: bytes.toString(), bytes };
      receiver.received.push(received);
      void Promise.resolve(receiver.answer(received)).then(({ status, headers: fields = {}, body = '' }) =>
        response.writeHead(status, fields).end(body),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    answer: () => ({ status: 204 }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
};
