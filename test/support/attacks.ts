/** Hostile clients, by the hundred: for tests, and to measure their cost. */
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Attack {
  /** Sockets that the server has not closed. */
  readonly open: number;
  /** How often the server closed one. */
  readonly closed: number;
  /** Its answers: statuses and how often. */
  readonly answers: ReadonlyMap<string, number>;
  /** Closes every socket. */
  stop(): Promise<void>;
}

export interface AttackOptions {
  url: string;
  /** Sockets at once. */
  count: number;
  /** Sent once on every socket; the number distinguishes the sockets. */
  toHead?: (number: number) => string;
  /** Sent repeatedly: as fast as possible, or each time after this interval. */
  rest?: string;
  everyMs?: number;
  /** Reads the start of the answer, and nothing more. */
  isDeaf?: boolean;
  /** A socket that the server closed is replaced. */
  isPersistent?: boolean;
}

/** This many sockets are opened at once: a burst must not fill the listener's queue. */
const BURST = 100;

const toStatus = (chunk: Buffer): string | undefined => /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1'))?.[1];

/** Starts an attack; resolves when every socket is connected and has sent its head. */
export const startAttack = async (options: AttackOptions): Promise<Attack> => {
  const { url, count, toHead = () => '', rest = '', everyMs, isDeaf = false, isPersistent = false } = options;
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const answers = new Map<string, number>();
  let closed = 0;
  let isStopping = false;

  const send = async (socket: Socket): Promise<void> => {
    while (rest !== '' && !socket.destroyed && !isStopping) {
      const isFlowing = socket.write(rest);
      if (everyMs !== undefined) await delay(everyMs);
      else if (!isFlowing) await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve));
      else await delay(0);
    }
  };
  const open = (number: number): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(Number(port), hostname);
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        const status = toStatus(chunk);
        if (status !== undefined) answers.set(status, (answers.get(status) ?? 0) + 1);
        if (isDeaf) socket.pause();
      });
      socket.once('connect', () => {
        const head = toHead(number);
        if (head !== '') socket.write(head);
        resolve();
        void send(socket);
      });
      socket.once('close', () => {
        sockets.delete(socket);
        resolve();
        if (isStopping) return;
        closed += 1;
        if (isPersistent) void open(number);
      });
    });
  for (let first = 0; first < count; first += BURST) {
    const burst = Math.min(BURST, count - first);
    await Promise.all(Array.from({ length: burst }, (_, index) => open(first + index)));
  }
  return {
    get open() {
      return sockets.size;
    },
    get closed() {
      return closed;
    },
    answers,
    stop: async () => {
      isStopping = true;
      const gone = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve).destroy()));
      await Promise.all(gone);
    },
  };
};
