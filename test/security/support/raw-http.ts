/** HTTP by hand: what no well-behaved client would send. */
import { connect, type Socket } from 'node:net';
import { errorTable, type ErrorCode } from '@berth/contract';
import { expect } from 'vitest';

export interface RawAnswer {
  status: number;
  /** Lower-case names. */
  headers: Map<string, string>;
  body: string;
}

const parse = (text: string): RawAnswer => {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  return { status: Number(statusLine.split(' ')[1] ?? 0), headers, body: rest.join('\r\n\r\n') };
};

/**
 * Sends bytes and reads until the server closes the connection (say `Connection: close`); status 0 when it closed it
 * without an answer.
 */
export const sendRaw = (url: string, ...parts: (string | Buffer)[]): Promise<RawAnswer> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), new URL(url).hostname);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    // A server that answers early resets what is still being sent; the answer counts all the same.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(parse(Buffer.concat(chunks).toString('utf8'))));
    for (const part of parts) socket.write(part);
  });

/** Opens a connection, sends the text and leaves it open. */
export const openSocket = (
  url: string,
  text: string,
): { socket: Socket; closed: () => boolean; received: () => string } => {
  let received = '';
  let isClosed = false;
  const socket = connect(Number(new URL(url).port), new URL(url).hostname);
  socket.on('data', (chunk) => (received += chunk.toString()));
  socket.on('error', () => undefined);
  socket.on('close', () => (isClosed = true));
  socket.write(text);
  return { socket, closed: () => isClosed, received: () => received };
};

/** Fails for an answer that is not the error in the format of the API. */
export const expectRawError = ({ status, headers, body }: RawAnswer, expected: number, code: ErrorCode): void => {
  expect([status, headers.get('x-error-code')]).toEqual([expected, code]);
  expect(headers.get('x-error-hint')).toBe(errorTable[code].hint);
  expect(JSON.parse(body)).toEqual({
    ok: false,
    msg: expect.any(String),
    data: null,
    code: expect.any(String),
    hint: expect.any(String),
  });
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
  expect(headers.get('content-security-policy')).toContain('default-src');
};
