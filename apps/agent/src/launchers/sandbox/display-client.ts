import { connect } from 'node:net';
import { ScreenError } from '../launcher.ts';

export type DisplayReply = { ok: true; [field: string]: unknown } | { ok: false; error: string };

/** The largest picture (3840x2160) as base64 in one line, with room to spare. */
const MAX_REPLY_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

const findReply = (line: Buffer): DisplayReply | undefined => {
  try {
    return JSON.parse(line.toString('utf8')) as DisplayReply;
  } catch {
    return undefined;
  }
};

/**
 * Asks the sandbox terminal's screen one thing: one line of JSON each way.
 * @throws ScreenError when nobody listens, or no answer comes in time.
 */
export const askDisplay = (path: string, request: object, timeoutMs: number): Promise<DisplayReply> =>
  new Promise((resolve, reject) => {
    const socket = connect(path);
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const fail = (cause: string): void => {
      clearTimeout(deadline);
      socket.destroy();
      reject(new ScreenError(`The terminal's screen does not answer: ${cause}.`));
    };
    const deadline = setTimeout(() => fail('no reply in time'), timeoutMs);
    socket.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'connection failed'));
    socket.once('close', () => fail('the connection was closed'));
    socket.once('connect', () => socket.write(`${JSON.stringify(request)}\n`));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > MAX_REPLY_BYTES) return fail('the reply is too long');
      if (!chunk.includes(NEWLINE)) return;
      const reply = findReply(Buffer.concat(chunks));
      if (!reply) return fail('the reply is not understood');
      clearTimeout(deadline);
      resolve(reply);
      socket.destroy();
    });
  });
