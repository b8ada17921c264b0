import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';

/** Below the ports that the system assigns: otherwise another test might be given the port of a stopped server. */
const FIRST = 20_000;
const END = 32_000;

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** A free port of this machine, for a server that is restarted on it several times. */
export const findFreePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(FIRST, END);
    if (await isFree(port)) return port;
  }
};
