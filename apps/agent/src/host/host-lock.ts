/**
 * Keeps two agents from working in one host's folder: the second waits until the first has released it (it may be
 * finishing its attempts). The lock is an abstract socket, whose name Linux frees when its holder dies, however it
 * dies. macOS has no such names and does without; the server's session still tells the agents apart.
 */
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import type { Timing } from '@berth/kit';

/** Longer than an agent takes to end: 10 s for its attempts and a few seconds to report. */
const WAIT_MS = 30_000;
const POLL_MS = 100;

const PREFIX = '\0berth-agent-';

const listen = (name: string): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(undefined) : reject(error),
    );
    server.listen(name, () => resolve(server.unref()));
  });

/**
 * Waits for the lock of the folder, which must exist.
 * @returns how to release it; undefined when the signal aborted. Rejects when another agent holds it for too long.
 */
export const lockHost = async (
  folder: string,
  { timing, onWait }: { timing: Timing; onWait: () => void },
  signal: AbortSignal,
): Promise<(() => void) | undefined> => {
  if (process.platform !== 'linux') return () => undefined;
  const name =
    PREFIX +
    createHash('sha256')
      .update(await realpath(folder))
      .digest('hex')
      .slice(0, 32);
  // The first try comes before the signal is checked: an agent may be started only to stop the terminals.
  for (let tries = 0; tries === 0 || !signal.aborted; tries += 1) {
    const server = await listen(name);
    if (server) return () => void server.close();
    if (tries === 0) onWait();
    // Counted, not timed: a change of the clock must neither cut the wait short nor prolong it.
    if (tries >= WAIT_MS / POLL_MS) throw new Error(`Another agent works in ${folder}; stop it first.`);
    await timing.sleep(POLL_MS, signal);
  }
  return undefined;
};
