/** HTTP by hand: what no well-behaved client would send. */
import { connect } from 'node:net';

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
