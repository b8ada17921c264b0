import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';

/** Below the ports that the system gives to whoever asks for any: there, another test would be given one that a stopped server left. */
const FIRST = 20_000;
const END = 32_000;

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** A port of this machine that nobody listens on, for a server that comes back to it again and again. */
export const findFreePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(FIRST, END);
    if (await isFree(port)) return port;
  }
};
