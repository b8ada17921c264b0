import type { Socket } from 'node:net';

export interface JsonLinesOptions {
  /** A longer line ends the connection. */
  maxLineBytes: number;
  /** Called with each parsed line. What it throws ends the connection. */
  onMessage: (message: unknown) => void;
}

/** How much may wait in a socket whose other side does not read before it is cut off. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Reads newline-delimited JSON from a socket. Anything that is no JSON, or too long, destroys the socket. */
export const readJsonLines = (socket: Socket, { maxLineBytes, onMessage }: JsonLinesOptions): void => {
  let parts: Buffer[] = [];
  let waitingBytes = 0;
  const take = (chunk: Buffer): void => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]);
      parts = [];
      waitingBytes = 0;
      start = end + 1;
      if (line.length > maxLineBytes) throw new Error('line too long');
      onMessage(JSON.parse(line.toString('utf8')) as unknown);
      if (socket.destroyed) return;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
    waitingBytes += chunk.length - start;
    if (waitingBytes > maxLineBytes) throw new Error('line too long');
  };
  socket.on('data', (chunk: Buffer) => {
    try {
      take(chunk);
    } catch {
      socket.destroy();
    }
  });
};

export const writeJsonLine = (socket: Socket, message: object): void => {
  if (!socket.writable) return;
  socket.write(`${JSON.stringify(message)}\n`);
  if (socket.writableLength > MAX_WAITING_BYTES) socket.destroy();
};
