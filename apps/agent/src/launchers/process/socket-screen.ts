import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { LauncherError, ScreenRefusal, type Box, type Screen } from '../launcher.ts';

type Reply = { ok: true; [field: string]: unknown } | { ok: false; error: string };

/** The largest screenshot (3840x2160) as base64 in one line, with room to spare. */
const MAX_REPLY_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;
const TIMEOUT_MS = 20_000;

/** A folder of our own for sockets: their paths must stay below 100 bytes, wherever the terminals live. */
const ensureSocketFolder = async (): Promise<string> => {
  const { uid } = userInfo();
  const folder = join(tmpdir(), `berth-${uid}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stats = await lstat(folder);
  if (!stats.isDirectory() || (uid >= 0 && stats.uid !== uid)) {
    throw new LauncherError('missing', `${folder} belongs to somebody else. Set TMPDIR to a folder of your own.`);
  }
  await chmod(folder, 0o700);
  return folder;
};

const toSocketPath = async ({ folder }: Box): Promise<string> => {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return join(await ensureSocketFolder(), `${name}.sock`);
};

/** Removes the socket that a killed terminal has left. */
export const removeSocket = async (box: Box): Promise<void> => rm(await toSocketPath(box), { force: true });

const findReply = (line: Buffer): Reply | undefined => {
  try {
    return JSON.parse(line.toString('utf8')) as Reply;
  } catch {
    return undefined;
  }
};

/**
 * Sends one request to the program that listens on the socket: one line of JSON each way. Throws a LauncherError
 * (`screen`) when no program listens, or no answer comes in time.
 */
export const askSocket = (path: string, request: object, timeoutMs: number): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const socket = connect(path);
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const fail = (cause: string): void => {
      clearTimeout(deadline);
      socket.destroy();
      reject(new LauncherError('screen', `The terminal's screen does not answer: ${cause}.`));
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

const canConnect = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path);
    const finish = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => finish(true));
    socket.on('error', () => finish(false));
  });

/** The screen of a program that draws itself: a socket through which it can be viewed and operated. */
export class SocketScreen implements Screen {
  readonly #box: Box;

  constructor(box: Box) {
    this.#box = box;
  }

  open(): Promise<string> {
    return toSocketPath(this.#box);
  }

  async hasWindow(): Promise<boolean> {
    return canConnect(await toSocketPath(this.#box));
  }

  async capture(size: { width: number; height: number }): Promise<Buffer> {
    const { png } = await this.ask({ op: 'screenshot', ...size });
    return Buffer.from(String(png), 'base64');
  }

  async ask(request: object, { timeoutMs } = { timeoutMs: TIMEOUT_MS }): Promise<Record<string, unknown>> {
    const reply = await askSocket(await toSocketPath(this.#box), request, timeoutMs);
    if (!reply.ok) throw new ScreenRefusal(reply.error);
    return reply;
  }
}
