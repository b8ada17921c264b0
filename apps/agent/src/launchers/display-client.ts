import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { ScreenError } from './launcher.ts';

export type DisplayReply = { ok: true; [field: string]: unknown } | { ok: false; error: string };

/** The largest picture (3840x2160) as base64 in one line, with room to spare. */
const MAX_REPLY_CHARACTERS = 64 * 1024 * 1024;

/**
 * Asks the sandbox terminal's screen one thing: one line of JSON each way.
 * @throws ScreenError when nobody listens, or no answer comes in time.
 */
export const askDisplay = (path: string, request: object, timeoutMs: number): Promise<DisplayReply> =>
  new Promise((resolve, reject) => {
    const socket = connect(path);
    const fail = (cause: string): void => {
      socket.destroy();
      reject(new ScreenError(`The terminal's screen does not answer: ${cause}.`));
    };
    socket.setTimeout(timeoutMs, () => fail('no reply in time'));
    socket.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'connection failed'));
    socket.once('close', () => fail('the connection was closed'));
    socket.once('connect', () => socket.write(`${JSON.stringify(request)}\n`));
    createInterface({ input: socket, crlfDelay: Infinity }).once('line', (line) => {
      if (line.length > MAX_REPLY_CHARACTERS) return fail('the reply is too long');
      socket.removeAllListeners('close');
      socket.destroy();
      resolve(JSON.parse(line) as DisplayReply);
    });
  });
