import { createHash } from 'node:crypto';
import { realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * One terminal per folder. The lock is a listening socket named after the folder: the kernel frees it the moment the
 * process ends, however it ends, so there are no stale locks. Linux has names outside the file system for it; elsewhere
 * a socket file is used, and one that nobody answers on belongs to a dead terminal.
 */
export const acquireInstanceLock = async (folder: string): Promise<Server | undefined> => {
  const id = createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 32);
  if (process.platform === 'linux') return listen(`\0berth-sandbox-${id}`);
  const path = join(tmpdir(), `berth-sandbox-${id}.sock`);
  const lock = await listen(path);
  if (lock || (await isAnswered(path))) return lock;
  rmSync(path, { force: true });
  return listen(path);
};

const listen = (path: string): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(path, () => resolve(server));
  });

const isAnswered = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
