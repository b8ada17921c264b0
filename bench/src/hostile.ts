/** What clients that wish the server ill cost it, and what an ordinary client notices of them. */
import { setTimeout as delay } from 'node:timers/promises';
import { createSecret, startAttack, type AttackOptions } from '@berth/testing/bench';
import { stopProcess, type Bench } from './bench.ts';
import type { Figures } from './goal.ts';
import { readCpuSeconds, readResidentMb } from './process-usage.ts';
import { seed } from './seed.ts';
import { toQuantile } from './statistics.ts';
import { Wire } from './wire.ts';

const SETTLE_MS = 2_000;
/** Between two requests of the ordinary client. */
const PAUSE_MS = 5;

type Attack = Omit<AttackOptions, 'url'> & {
  count: number;
  /** So many guess tokens, each as fast as it is refused; the limits of guesses are off here. */
  guessers?: number;
};

const toHead = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...headers, '', ''].join('\r\n');
const withoutEnd = (head: string): string => head.slice(0, -2);

const createAttacks = (token: string): Record<string, Attack> => {
  const login = 'POST /v1/auth/login';
  const guess = () => toHead('GET /v1/my/projects', `Authorization: Bearer ${token.split('|')[0]}|${createSecret()}`);
  const asOwner = `Authorization: Bearer ${token}`;
  return {
    'nobody hostile': { count: 0 },
    '2,000 sockets that say nothing': { count: 2_000 },
    '10,000 sockets that say nothing': { count: 10_000 },
    '600 that send headers or a body byte by byte': {
      count: 600,
      toHead: (number) =>
        number % 2 === 0 ? `${withoutEnd(toHead('GET /v1/my/projects'))}X: ` : toHead(login, 'Content-Length: 10000'),
      rest: 'x',
      everyMs: 500,
    },
    '60 that send headers without an end, again and again': {
      count: 60,
      toHead: () => withoutEnd(toHead('GET /v1/my/projects')),
      rest: `X: ${'y'.repeat(1000)}\r\n`.repeat(4),
      isPersistent: true,
    },
    '60 that send a body without an end, again and again, half of them with a token': {
      count: 60,
      toHead: (number) =>
        number % 2 === 0
          ? toHead(login, 'Transfer-Encoding: chunked')
          : toHead('POST /v1/my/projects', asOwner, 'Transfer-Encoding: chunked'),
      rest: `2000\r\n${'x'.repeat(0x2000)}\r\n`,
      isPersistent: true,
    },
    '30 that send requests without waiting for answers, again and again': {
      count: 30,
      rest: guess().repeat(500),
      isPersistent: true,
    },
    '32 that guess tokens': { count: 0, guessers: 32 },
  };
};

/** @returns a function that ends it, once every guess is answered, and returns their number */
const startGuessing = (url: string, tokenId: string, count: number): (() => Promise<number>) => {
  let guesses = 0;
  let isOver = false;
  const guess = async (): Promise<void> => {
    while (!isOver) {
      const wire = new Wire(url, `${tokenId}|${createSecret()}`);
      await wire.request('GET', '/v1/my/account/profile');
      wire.close();
      guesses += 1;
    }
  };
  const guessers = Array.from({ length: count }, guess);
  return async () => {
    isOver = true;
    await Promise.all(guessers);
    return guesses;
  };
};

/** One request after the other, with a small pause. */
const useService = async (wire: Wire, seconds: number): Promise<number[]> => {
  const took: number[] = [];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    const from = performance.now();
    const { status } = await wire.request('GET', '/v1/my/account/profile');
    if (status !== 200) throw new Error(`an ordinary request was answered ${status}`);
    took.push(performance.now() - from);
    await delay(PAUSE_MS);
  }
  return took;
};

export const measureHostile = async (
  bench: Bench,
  onPoint: (name: string, figures: Figures) => void,
): Promise<void> => {
  const database = await bench.createDatabase();
  const { token } = await seed(database, { hosts: 1, terminalsPerHost: 1 });
  for (const [name, { count, guessers = 0, ...attack }] of Object.entries(createAttacks(token))) {
    const server = await bench.startServer(database);
    const { pid } = server.process;
    const wire = new Wire(server.url, token);
    await useService(wire, 2);
    const emptyMb = readResidentMb(pid);
    const attacking = await startAttack({ url: server.url, count, ...attack });
    const endGuessing = startGuessing(server.url, token.split('|')[0] ?? '', guessers);
    await delay(SETTLE_MS);
    const [cpuSeconds, from] = [readCpuSeconds(pid), performance.now()];
    const took = await useService(wire, bench.options.seconds);
    const seconds = (performance.now() - from) / 1000;
    const [cpuAfter, mbAfter] = [readCpuSeconds(pid), readResidentMb(pid)];
    const guesses = await endGuessing();
    const figures = {
      'ordinary request p50 ms': toQuantile(took, 0.5),
      'ordinary request p99 ms': toQuantile(took, 0.99),
      'core of the server': (cpuAfter - cpuSeconds) / seconds,
      'memory MB more': mbAfter - emptyMb,
      ...(count > 0 ? { 'kB per socket': ((mbAfter - emptyMb) * 1024) / count } : {}),
      'answers to the attack': [...attacking.answers.values()].reduce((sum, one) => sum + one, guesses),
    };
    await attacking.stop();
    await delay(PAUSE_MS);
    wire.close();
    await stopProcess(server.process);
    onPoint(name, figures);
  }
};
