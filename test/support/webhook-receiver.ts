/** An endpoint for webhooks: keeps what it is sent, and answers as the test says. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach } from 'vitest';

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

/** Starts anew, with nothing received. */
const listen = async (receiver: WebhookReceiver, answer: WebhookReceiver['answer']): Promise<void> => {
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
  Object.assign(receiver, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    answer,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
};

const take: WebhookReceiver['answer'] = () => ({ status: 204 });

/** @example const receiver = await startWebhookReceiver(); receiver.answer = () => ({ status: 500 }); */
export const startWebhookReceiver = async (): Promise<WebhookReceiver> => {
  const receiver = {} as WebhookReceiver;
  await listen(receiver, take);
  return receiver;
};

/** An endpoint that is another one, at another address, in each test of a file. */
export const useWebhookReceiver = (answer = take): WebhookReceiver => {
  const receiver = {} as WebhookReceiver;
  beforeEach(() => listen(receiver, answer));
  afterEach(() => receiver.close());
  return receiver;
};
